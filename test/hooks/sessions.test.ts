import { describe, expect, test } from 'vitest'
import { callHook, CODEX, fixture } from '../helpers/call-hook.ts'
import { ownerOf } from '../console/owner.ts'
import { openHouse, type House } from '../helpers/house.ts'

const REPO = { repo: 'git@github.com:acme/orders.git', repo_root: '/home/ana/src/orders' }
const START = fixture('claude-code/session-start', REPO)
const CODEX_START = fixture('codex/session-start', REPO)

const sessions = ({ app }: House) =>
  app.kernel.db.selectFrom('sessions').selectAll().orderBy('id').execute()

const only = async (house: House) => {
  const [first, ...more] = await sessions(house)
  expect(more).toEqual([])
  return first!
}

async function remember(house: House, project: string): Promise<string> {
  const agent = await house.inside(project)
  const { id } = await agent.call('memory_write', {
    name: 'csv-last-row',
    kind: 'constraint',
    description: 'The importer drops the last csv row unless it ends with a newline',
    body: 'Seen in production.',
    project,
  })
  return id as string
}

describe('session-start', () => {
  test('registers the repository and begins an ambient session there', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)

    expect(await only(house)).toMatchObject({
      name: expect.stringMatching(/^cc\/\w{4}$/),
      project: 'orders',
      ambient: true,
      status: 'active',
      external_client: 'claude-code',
      client_session_id: START['session_id'],
      cwd: '/home/ana/src/orders',
      source: 'startup',
      model: 'claude-opus-4-6',
    })
    expect(await house.events('session.started')).toMatchObject([{ payload: { ambient: true } }])
  })

  test('gives the agent its name even when nothing else is known, and records no injection', async () => {
    await using house = await openHouse()
    const { context } = await callHook(house, 'session-start', START)

    const { name } = await only(house)
    expect(context).toMatch(
      /^<loam-briefing id="([0-9a-f]{16})">\n[^]*\n<\/loam-briefing id="\1">$/,
    )
    expect(context).toContain(`session="${name}"`)
    expect(await house.events('retrieval.injected')).toEqual([])
  })

  test('briefs the agent, and records exactly what was sent', async () => {
    await using house = await openHouse()
    const id = await remember(house, 'orders')
    const { context } = await callHook(house, 'session-start', START)

    const session = (await sessions(house)).find(({ ambient }) => ambient)!
    expect(context).toContain('csv-last-row')
    expect(context!.split('\n').at(-2)).toContain(session.name)
    expect(await house.events('retrieval.injected')).toMatchObject([
      {
        session_id: session.id,
        project: 'orders',
        payload: {
          hook: 'session-start',
          claude_session_id: START['session_id'],
          external_client: 'claude-code',
          content: context,
          item_ids: [id],
          item_ids_exact: true,
          original_item_count: 1,
          truncated: false,
        },
      },
    ])
  })

  test('of a subagent begins no session, and is briefed without a name', async () => {
    await using house = await openHouse()
    await remember(house, 'orders')
    const start = { ...START, agent_type: 'Explore' }
    const { context } = await callHook(house, 'session-start', start)
    expect(context).toContain('csv-last-row')
    expect(context).not.toContain('cc/')
    expect((await sessions(house)).filter(({ ambient }) => ambient)).toEqual([])
  })

  test('again resumes the same session, also one that has ended', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const { id } = await only(house)
    await callHook(house, 'session-end', fixture('claude-code/session-end'))
    expect(await only(house)).toMatchObject({ status: 'completed' })
    await callHook(house, 'session-start', { ...START, source: 'resume', model: 'other' })
    expect(await only(house)).toMatchObject({ id, status: 'active', model: 'other' })
  })

  test('gives an agent that left no word nothing of that back as its findings', async () => {
    await using house = await openHouse()
    await remember(house, 'orders')
    await callHook(house, 'session-start', START)
    await callHook(house, 'session-end', fixture('claude-code/session-end'))
    const { context } = await callHook(house, 'session-start', { ...START, source: 'resume' })
    expect(context).toContain('csv-last-row')
    expect(context).not.toContain('no summary')
    expect(context).not.toContain('before this you had')
  })

  test('gives an agent back what it holds in a session that it named itself', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const agent = await house.connect('claude-code')
    await agent.call('session_start', { name: 'harbor', cwd: START['cwd'] })
    const { id } = await agent.call('tasks_add', { title: 'Dredge' })
    await agent.call('tasks_claim', { id })
    await agent.call('session_update', { findings: 'The mouth is silted.' })
    await callHook(house, 'stop', {
      ...fixture('claude-code/session-end'),
      last_assistant_message: 'I measured the depth of the mouth and wrote it down.',
    })
    const again = () => callHook(house, 'session-start', { ...START, source: 'compact' })
    const { context } = await again()
    expect(context).toContain(`- claimed task ${String(id)} Dredge, as session harbor\n`)
    expect(context).toContain('- your findings so far, as session harbor: The mouth is silted.')
    expect(context).not.toContain('auto-harvested')

    // Handed over, the task is free; what it found is still its own.
    await agent.call('session_end', { findings: 'The mouth is dredged.' })
    const after = await again()
    expect(after.context).not.toContain('claimed task')
    expect(after.context).toContain(', as session harbor: The mouth is dredged.')
  })

  test('keeps from an agent what it found in a session of another project', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const agent = await house.connect('claude-code')
    await agent.call('session_start', { name: 'quay', cwd: START['cwd'], project: 'harbor' })
    const { id } = await agent.call('tasks_add', { title: 'Dredge' })
    await agent.call('tasks_claim', { id })
    await agent.call('session_update', { findings: 'The mouth is silted.' })
    const { context } = await callHook(house, 'session-start', { ...START, source: 'compact' })
    expect(context).toContain(`- claimed task ${String(id)} Dredge, as session quay\n`)
    expect(context).not.toContain('silted')
  })

  test('without a model keeps the known one', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'session-start', { ...START, model: '' })
    expect(await only(house)).toMatchObject({ model: 'claude-opus-4-6' })
  })

  test('outside of any repository is a session of the global scope, and registers nothing', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', fixture('claude-code/session-start'))
    expect(await only(house)).toMatchObject({ project: '' })
    expect(await house.app.kernel.db.selectFrom('projects').select('slug').execute()).toEqual([])
  })

  test('keeps the sessions of two clients apart, and of two long ids with one beginning', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'session-start', START, CODEX)
    await callHook(house, 'session-start', { ...START, session_id: `${START['session_id']}-2` })
    expect(new Set((await sessions(house)).map(({ name }) => name)).size).toBe(3)
  })

  test('many at once for one session begin it once', async () => {
    await using house = await openHouse()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => callHook(house, 'session-start', START)),
    )
    const { name } = await only(house)
    for (const { context } of answers) expect(context).toContain(name)
    expect(await house.events('session.started')).toHaveLength(1)
  })
})

async function hold(house: House, claimed_by: string): Promise<void> {
  await house.app.kernel.db
    .insertInto('tasks')
    .values({ id: 'T', project: 'orders', title: 't', status: 'in_progress', claimed_by })
    .execute()
}

const holders = async ({ app }: House) =>
  (await app.kernel.db.selectFrom('tasks').select('claimed_by').execute()).map(
    ({ claimed_by }) => claimed_by,
  )

/** What the console says of each session. */
async function states(house: House): Promise<unknown[]> {
  const { body } = await ownerOf(house).json('/console/sessions')
  return (body['sessions'] as { live: boolean }[]).map(({ live }) => (live ? 'live' : 'idle'))
}

describe('a sign of life', () => {
  const silent = async (house: House): Promise<void> => {
    await house.moveClock('10 minutes')
  }

  test.each([
    ['user-prompt-submit', 'claude-code/user-prompt-submit'],
    ['subagent-start', 'claude-code/subagent-start'],
    ['subagent-stop', 'claude-code/subagent-stop'],
    ['stop', 'claude-code/stop'],
    ['post-tool-use', 'claude-code/post-tool-use.write'],
  ])('is given by %s', async (name, payload) => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const before = (await only(house)).updated_at
    await silent(house)
    await callHook(house, name, fixture(payload))
    expect((await only(house)).updated_at.getTime()).toBeGreaterThan(before.getTime() + 500_000)
  })

  test('from late traffic revives no session that is over', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'session-end', fixture('claude-code/session-end'))
    const { updated_at } = await only(house)
    await silent(house)
    for (const name of ['stop', 'subagent-start', 'subagent-stop']) {
      await callHook(house, name, fixture(`claude-code/${name}`))
    }
    await callHook(house, 'post-tool-use', fixture('claude-code/post-tool-use.write'))
    expect(await only(house)).toMatchObject({ status: 'completed', updated_at })
  })

  test('by a prompt brings back a session that is over, and what it held stays free', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const { id } = await only(house)
    await hold(house, id)
    const told = { findings: 'The last row is lost.' }
    await callHook(house, 'session-end', fixture('claude-code/session-end', told))
    await callHook(house, 'user-prompt-submit', fixture('claude-code/user-prompt-submit'))
    expect(await only(house)).toMatchObject({
      id,
      status: 'active',
      project: 'orders',
      findings: '(auto-harvested) The last row is lost.',
    })
    expect(await house.events('session.started')).toMatchObject([
      { payload: { ambient: true } },
      { payload: { ambient: true, resumed: true } },
    ])
    expect(await holders(house)).toEqual([''])
  })

  test('from a subagent does not change its parent’s model', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', CODEX_START, CODEX)
    await callHook(house, 'subagent-start', fixture('codex/subagent-start'), CODEX)
    await callHook(house, 'subagent-stop', fixture('codex/subagent-stop'), CODEX)
    expect(await only(house)).toMatchObject({ model: 'gpt-5.5', project: 'orders' })
  })

  test('from a prompt of a subagent does not change its parent’s model', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const prompt = { prompt: 'Look at the harbour', agent_id: 'a1', model: 'smaller' }
    await callHook(house, 'user-prompt-submit', { ...START, ...prompt })
    expect(await only(house)).toMatchObject({ model: 'claude-opus-4-6', first_prompt: '' })
  })

  test('begins nothing by itself', async () => {
    await using house = await openHouse()
    await callHook(house, 'user-prompt-submit', fixture('claude-code/user-prompt-submit'))
    await callHook(house, 'stop', fixture('codex/stop'), CODEX)
    expect(await sessions(house)).toEqual([])
  })
})

describe('session-end', () => {
  const tokens = { input: 10, cached: 200, cache_creation: 30, output: 4 }

  test('completes the session with what its client last said and used', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const told = { findings: 'The last row is lost.', tokens, model: 'claude-sonnet-5' }
    const { body } = await callHook(house, 'session-end', fixture('claude-code/session-end', told))

    expect(body).toEqual({ continue: true, suppressOutput: true })
    expect(await only(house)).toMatchObject({
      status: 'completed',
      findings: '(auto-harvested) The last row is lost.',
      input_tokens: 10,
      cached_tokens: 200,
      cache_creation_tokens: 30,
      output_tokens: 4,
      model: 'claude-sonnet-5',
    })
    expect(await house.events('session.ended')).toMatchObject([
      { payload: { reason: 'prompt_input_exit', ambient: true, harvested: true } },
    ])
  })

  test.each([
    ['stop', fixture('claude-code/stop', { tokens })],
    ['session-end', fixture('claude-code/session-end', { tokens })],
  ])('by %s tells the tokens of a turn in which the agent ended it itself', async (hook, told) => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const agent = await house.connect()
    const { id } = await only(house)
    await agent.call('session_end', { session: id, findings: 'The importer is done.' })
    const { updated_at } = await only(house)

    await callHook(house, hook, told)
    // A process that ended earlier reports late.
    await callHook(house, hook, { ...told, tokens: { output: 1 } })

    expect(await only(house)).toMatchObject({
      status: 'completed',
      findings: 'The importer is done.',
      input_tokens: 10,
      cached_tokens: 200,
      cache_creation_tokens: 30,
      output_tokens: 4,
      updated_at,
    })
  })

  test('tells them also when it ends another session of its client', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const { id, cwd, project } = await only(house)
    const scout = await house.connect()
    await scout.call('session_start', { name: 'scout', cwd, project })
    const agent = await house.connect()
    await agent.call('session_end', { session: id, findings: 'The importer is done.' })

    await callHook(house, 'session-end', fixture('claude-code/session-end', { tokens }))

    expect(await sessions(house)).toMatchObject([
      { id, status: 'completed', input_tokens: 10, output_tokens: 4 },
      { name: 'scout', status: 'completed', input_tokens: 0 },
    ])
  })

  test('from Codex tells what its Stop tells', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', CODEX_START, CODEX)
    const told = { hook_event_name: 'SessionEnd', tokens }
    await callHook(house, 'session-end', fixture('codex/stop', told), CODEX)
    expect(await only(house)).toMatchObject({
      status: 'completed',
      findings: '(auto-harvested) The importer reads one row too few.',
      output_tokens: 4,
    })
  })

  test('closes the sessions that share its id, and no other', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'session-start', { ...START, session_id: 'another' })
    const agent = await house.connect()
    await agent.call('session_start', { name: 'named', cwd: '/elsewhere', project: 'orders' })
    await house.app.kernel.db
      .updateTable('sessions')
      .set({ external_client: 'claude-code', client_session_id: START['session_id'] as string })
      .where('name', '=', 'named')
      .execute()
    await callHook(house, 'session-end', fixture('claude-code/session-end'))
    const found = await sessions(house)
    const over = found.filter(({ status }) => status === 'completed')
    expect(over.map(({ client_session_id }) => client_session_id)).toEqual([
      START['session_id'],
      START['session_id'],
    ])
    expect(found).toHaveLength(3)
  })

  test('frees the tasks that were held', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const { id } = await only(house)
    await hold(house, id)
    await callHook(house, 'session-end', fixture('claude-code/session-end'))
    expect(await house.events('session.ended')).toMatchObject([{ payload: { claims_released: 1 } }])
  })

  test('masks what looks like a secret in the last words', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const findings = `the token is ghp_${'a1B2c3D4e5'.repeat(4)}`
    await callHook(house, 'session-end', fixture('claude-code/session-end', { findings }))
    expect((await only(house)).findings).toBe('(auto-harvested) the token is [secret]')
  })
})

describe('stop', () => {
  test('from Codex carries findings and tokens, which the next one overwrites', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', CODEX_START, CODEX)
    const tokens = { input: 1, cached: 2, cache_creation: 0, output: 3 }
    await callHook(house, 'stop', fixture('codex/stop', { tokens }), CODEX)
    expect(await only(house)).toMatchObject({
      status: 'active',
      findings: '(auto-harvested) The importer reads one row too few.',
      output_tokens: 3,
    })
    const more = { last_assistant_message: 'Fixed the importer.', tokens: { ...tokens, output: 9 } }
    await callHook(house, 'stop', fixture('codex/stop', more), CODEX)
    expect(await only(house)).toMatchObject({
      findings: '(auto-harvested) Fixed the importer.',
      output_tokens: 9,
      input_tokens: 1,
    })
    for (const last_assistant_message of ['', 'Hello, I did nothing.']) {
      await callHook(house, 'stop', fixture('codex/stop', { last_assistant_message }), CODEX)
    }
    expect(await only(house)).toMatchObject({ findings: '(auto-harvested) Fixed the importer.' })
  })

  test('from any other client carries what it tells', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const told = { tokens: { output: 5 }, model: 'claude-haiku-4' }
    await callHook(house, 'stop', fixture('claude-code/stop', told))
    expect(await only(house)).toMatchObject({ output_tokens: 5, model: 'claude-haiku-4' })
    const more = { last_assistant_message: 'The last row is lost.' }
    await callHook(house, 'stop', fixture('claude-code/stop', more))
    expect(await only(house)).toMatchObject({ findings: '(auto-harvested) The last row is lost.' })
  })

  test('lets its session rest, which is idle before long and never ends by that', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    expect(await states(house)).toEqual(['live'])
    await callHook(house, 'stop', fixture('claude-code/stop'))
    expect(await states(house)).toEqual(['live'])
    await house.moveClock('11 minutes')
    expect(await states(house)).toEqual(['idle'])
    expect(await only(house)).toMatchObject({ status: 'active' })
    await callHook(house, 'subagent-stop', fixture('claude-code/subagent-stop'))
    expect(await states(house)).toEqual(['live'])
    await house.moveClock('22 minutes')
    expect(await states(house)).toEqual(['idle'])

    await callHook(house, 'user-prompt-submit', fixture('claude-code/user-prompt-submit'))
    await house.moveClock('66 minutes')
    expect(await states(house)).toEqual(['live'])
    await house.moveClock('68 minutes')
    expect(await states(house)).toEqual(['idle'])
  })

  test('lets a call without a session mean the agents that are at work', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    await callHook(house, 'session-start', CODEX_START, CODEX)
    const agent = await house.connect()
    const update = () => agent.call('session_update', { findings: 'f' })
    await callHook(house, 'stop', fixture('codex/stop'), CODEX)
    await expect(update()).rejects.toThrow('ambiguous session')
    await house.moveClock('11 minutes')
    const [claude] = await sessions(house)
    expect(await update()).toMatchObject({ session_id: claude!.id })
    await callHook(house, 'user-prompt-submit', fixture('codex/user-prompt-submit'), CODEX)
    await expect(update()).rejects.toThrow('ambiguous session')
  })

  test('tells the next agent of the project at once, but not its own', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', CODEX_START, CODEX)
    await callHook(house, 'stop', fixture('codex/stop'), CODEX)
    const briefed = async (start: object, how: object = {}) =>
      (await callHook(house, 'session-start', start, how)).context
    expect(await briefed(START)).toContain('The importer reads one row too few.')
    const again = { ...CODEX_START, source: 'compact' }
    expect(await briefed(again, CODEX)).not.toContain('Recent findings')
    await callHook(house, 'session-end', fixture('codex/stop'), CODEX)
    const next = { ...START, session_id: 'next' }
    expect(await briefed(next)).toContain('The importer reads one row too few.')
  })

  test('leaves a session that its agent named alone, and counts no token twice', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', CODEX_START, CODEX)
    const stop = (tokens: object) =>
      callHook(house, 'stop', fixture('codex/stop', { tokens }), CODEX)
    await stop({ input: 10 })
    const { id, name } = await only(house)
    const agent = await house.connect('codex')
    const { session_id } = await agent.call('session_start', {
      name: 'harbor',
      cwd: CODEX_START['cwd'],
    })
    await (await house.connect('codex')).call('session_end', { session: name, findings: 'Mine.' })
    await stop({ input: 25 })
    const found = await sessions(house)
    expect(found.find((each) => each.id === id)).toMatchObject({ findings: 'Mine.' })
    expect(found.find((each) => each.id === session_id)).toMatchObject({ findings: '' })
    expect(found.map(({ input_tokens }) => Number(input_tokens)).toSorted()).toEqual([0, 25])
  })

  test('never overwrites the agent’s own findings', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', CODEX_START, CODEX)
    const agent = await house.connect()
    const { name } = await only(house)
    await agent.call('session_update', { session: name, findings: 'My own words.' })
    await callHook(house, 'stop', fixture('codex/stop'), CODEX)
    expect(await only(house)).toMatchObject({ findings: 'My own words.' })
  })
})

describe('a machine that says whose client is gone', () => {
  const OTHER = { client: 'claude-code', session_id: START['session_id'] }

  test('says nothing of when it went: its last sign of life stays', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const { updated_at } = await only(house)
    await house.moveClock('90 minutes')
    await callHook(house, 'stop', { gone: [OTHER] }, CODEX)
    expect(await only(house)).toMatchObject({ status: 'completed', updated_at })
  })

  test.each([
    ['session-start', CODEX_START],
    ['user-prompt-submit', fixture('codex/user-prompt-submit')],
    ['stop', fixture('codex/stop')],
    ['stop', {}],
  ])('ends those sessions by %s', async (name, payload) => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const { id } = await only(house)
    await hold(house, id)
    const told = { last_assistant_message: 'The last row is lost.' }
    await callHook(house, 'stop', fixture('claude-code/stop', told))

    await callHook(house, name, { ...payload, gone: [OTHER] }, CODEX)
    const [ended] = await sessions(house)
    expect(ended).toMatchObject({
      id,
      status: 'completed',
      findings: '(auto-harvested) The last row is lost.',
    })
    expect(await house.events('session.ended')).toMatchObject([
      { session_id: id, payload: { reason: 'gone', ambient: true, claims_released: 1 } },
    ])
    expect(await holders(house)).toEqual([''])
  })

  test('means the process that it names, and no other in which the session runs meanwhile', async () => {
    await using house = await openHouse()
    const [before, now] = ['a', 'b'].map((digit) => digit.repeat(32))
    await callHook(house, 'session-start', { ...START, process: before })
    await callHook(house, 'session-start', { ...START, process: now, source: 'resume' })
    await callHook(house, 'stop', { gone: [{ ...OTHER, process: before }] }, CODEX)
    await callHook(house, 'session-end', fixture('claude-code/session-end', { process: before }))
    expect(await only(house)).toMatchObject({ status: 'active' })
    await callHook(house, 'stop', { gone: [{ ...OTHER, process: now }] }, CODEX)
    expect(await only(house)).toMatchObject({ status: 'completed' })
    const prompt = fixture('claude-code/user-prompt-submit', { process: now })
    await callHook(house, 'user-prompt-submit', prompt)
    await callHook(house, 'session-end', fixture('claude-code/session-end', { process: now }))
    expect(await only(house)).toMatchObject({ status: 'completed', process: now })
  })

  test('does not mean the session that speaks: its client runs again', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const { id } = await only(house)
    await hold(house, id)
    await callHook(house, 'session-start', { ...START, source: 'resume', gone: [OTHER] })
    expect(await only(house)).toMatchObject({ id, status: 'active' })
    expect(await house.events('session.ended')).toEqual([])
    expect(await holders(house)).toEqual([id])
  })

  test('is believed for fifty sessions at once, and for nothing that does not fit', async () => {
    await using house = await openHouse()
    for (let i = 0; i < 52; i++) {
      await callHook(house, 'session-start', { ...START, session_id: `s-${i}` })
    }
    const gone = [
      'x',
      { client: 'emacs', session_id: 's-0' },
      { client: 'claude-code', session_id: 7 },
      { client: 'codex', session_id: 's-1' },
      ...Array.from({ length: 52 }, (_, i) => ({ client: 'claude-code', session_id: `s-${i}` })),
    ]
    await callHook(house, 'stop', { gone })
    const active = (await sessions(house)).filter(({ status }) => status === 'active')
    expect(active.map(({ client_session_id }) => client_session_id)).toEqual([
      's-49',
      's-50',
      's-51',
    ])
  })
})
