import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { cutFor } from '../../src/hooks/clients.ts'
import { listHookAnswers } from '../../src/hooks/hooks.ts'
import { contextBlock } from '../../src/text/context-block.ts'
import { callHook, CODEX, fixture } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'

const REPO = { repo: 'git@github.com:acme/orders.git', repo_root: '/home/ana/src/orders' }
const START = fixture('claude-code/session-start', REPO)
const PROMPT = fixture('claude-code/user-prompt-submit')
const TEXT = PROMPT['prompt'] as string

/** Enough memories for a match to stand out, and the one that the prompt is about. */
async function library(house: House): Promise<string> {
  const agent = await house.inside('orders')
  for (const [i, what] of ['brakes', 'gears', 'lamps'].entries()) {
    await agent.call('memory_write', {
      name: `about-${what}`,
      kind: 'reference',
      description: `How ${what} are kept in shelf ${i} of the eastern workshop`,
      body: 'x',
    })
  }
  const { id } = await agent.call('memory_write', {
    name: 'csv-last-row',
    kind: 'constraint',
    description: 'The importer drops the last csv row unless the file ends with a newline',
    body: 'x',
  })
  return id as string
}

const hooked = async (house: House, kind: string, hook: string) =>
  (await house.events(kind)).filter(({ payload }) => payload['hook'] === hook)

describe('user-prompt-submit', () => {
  test('injects what matches the prompt, and records it with the prompt', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const id = await library(house)
    const { context } = await callHook(house, 'user-prompt-submit', PROMPT)

    expect(context).toMatch(/^<loam-recall id="([0-9a-f]{16})">\n[^]*\n<\/loam-recall id="\1">$/)
    expect(context).toContain('csv-last-row')
    const [injected, ...more] = await hooked(house, 'retrieval.injected', 'user-prompt-submit')
    expect(more).toEqual([])
    expect(injected).toMatchObject({
      project: 'orders',
      session_id: expect.any(String),
      payload: { content: context, item_ids: [id], prompt: TEXT, external_client: 'claude-code' },
    })
    expect(await house.events('hook.prompt')).toEqual([])
  })

  test('reads the prompt under either of its names, from either client', async () => {
    await using house = await openHouse()
    await library(house)
    await callHook(house, 'session-start', START)
    const { prompt, ...rest } = PROMPT
    let number = 0
    for (const options of [{}, CODEX]) {
      for (const said of [
        { prompt },
        { user_prompt: prompt },
        { prompt: '', user_prompt: prompt },
      ]) {
        const { context } = await callHook(
          house,
          'user-prompt-submit',
          { ...rest, ...REPO, ...said, session_id: `session-${++number}` },
          options,
        )
        expect({ said, options, found: context?.includes('csv-last-row') }).toEqual({
          said,
          options,
          found: true,
        })
      }
    }
  })

  test('without a match injects nothing, and records the prompt with its secrets masked', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    const prompt = `Deploy with ghp_${'a1B2c3D4e5'.repeat(4)} please`
    const { body, context } = await callHook(house, 'user-prompt-submit', { ...PROMPT, prompt })

    expect(context).toBe('')
    expect(body.systemMessage).toBeUndefined()
    expect(await house.events('hook.prompt')).toMatchObject([
      {
        project: 'orders',
        payload: {
          hook: 'user-prompt-submit',
          prompt: 'Deploy with [secret] please',
          matched: false,
          claude_session_id: START['session_id'],
          external_client: 'claude-code',
        },
      },
    ])
    expect(await hooked(house, 'retrieval.injected', 'user-prompt-submit')).toEqual([])
  })

  test('matches and records a prompt without the blocks that its client put before it', async () => {
    await using house = await openHouse()
    await library(house)
    const { context: briefing = '' } = await callHook(house, 'session-start', START)
    expect(briefing).toContain('csv-last-row')
    const escaped = briefing.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    for (const block of [briefing, escaped, `<hook_context>${escaped}</hook_context>`]) {
      const prompt = `${block}\n\nwrite a haiku about autumn leaves`
      const { context } = await callHook(house, 'user-prompt-submit', { ...PROMPT, prompt })
      expect(context).toBe('')
    }
    const events = await house.events('hook.prompt')
    expect(events.map(({ payload }) => payload['prompt'])).toEqual(
      Array.from({ length: 3 }, () => 'write a haiku about autumn leaves'),
    )
    await callHook(house, 'user-prompt-submit', { ...PROMPT, prompt: escaped })
    expect(await house.events('hook.prompt')).toHaveLength(3)
  })

  test('records as much of a very long prompt as the owner wants', async () => {
    await using house = await openHouse({ env: { LOAM_BUDGETS_TOOL_EVENT_MAX_CHARS: '20' } })
    await callHook(house, 'user-prompt-submit', { prompt: 'z'.repeat(100_000) })
    const [{ payload } = { payload: {} }] = await house.events('hook.prompt')
    expect((payload as { prompt: string }).prompt).toBe(`${'z'.repeat(20)} [truncated]`)
  })

  test('injects nothing from behind a fence that its session is outside of', async () => {
    await using house = await openHouse()
    await library(house)
    const { db } = house.app.kernel
    await db
      .updateTable('projects')
      .set({ isolation: 'confidential' })
      .where('slug', '=', 'orders')
      .execute()
    const elsewhere = {
      ...START,
      repo: 'git@github.com:acme/other.git',
      repo_root: '/other',
      cwd: '/other',
    }
    await callHook(house, 'session-start', elsewhere)
    expect((await callHook(house, 'user-prompt-submit', PROMPT)).context).toBe('')
  })
})

describe('subagent-start', () => {
  const SPAWN = fixture('claude-code/subagent-start', {
    spawn_prompt: 'Look at brakes and shelf 0',
  })

  test('injects the constraints, and what matches the task', async () => {
    await using house = await openHouse()
    const id = await library(house)
    await callHook(house, 'session-start', START)
    const { context } = await callHook(house, 'subagent-start', SPAWN)

    expect(context).toContain('csv-last-row')
    const [injected] = await hooked(house, 'retrieval.injected', 'subagent-start')
    expect(injected!.payload['item_ids']).toContain(id)
    expect(injected!.payload['content']).toBe(context)
  })

  test.each(['session_id', 'agent_id', 'agent_type', 'cwd'])(
    'without %s says nothing',
    async (missing) => {
      await using house = await openHouse()
      await library(house)
      await callHook(house, 'session-start', START)
      for (const blank of ['', '  ']) {
        const { context } = await callHook(house, 'subagent-start', { ...SPAWN, [missing]: blank })
        expect(context).toBe('')
      }
    },
  )

  test('without a constraint injects what matches the task, without the words of our own', async () => {
    await using house = await openHouse()
    const agent = await house.inside('orders')
    await agent.call('memory_write', {
      name: 'csv-importer-rows',
      kind: 'gotcha',
      description: 'The importer drops the last csv row unless the file ends with a newline',
      body: 'x',
    })
    await callHook(house, 'session-start', START)
    const spawn_prompt = 'Find out why the csv importer drops the last row'
    const { context } = await callHook(house, 'subagent-start', { ...SPAWN, spawn_prompt })
    expect(context).toContain('csv-importer-rows')
  })

  test('without a constraint or a match injects nothing, and records no injection', async () => {
    await using house = await openHouse()
    await callHook(house, 'session-start', START)
    expect((await callHook(house, 'subagent-start', SPAWN)).context).toBe('')
    expect(await house.events('retrieval.injected')).toEqual([])
  })
})

describe('what is too long for a client', () => {
  const HANDLE = 'You are session cc/1234.'
  const long = (what: string) =>
    contextBlock('loam-briefing', `${`${what} line of knowledge\n`.repeat(2_000)}${HANDLE}`)

  test.each([
    ['claude-code', 'plain'],
    ['codex', 'plain'],
    ['claude-code', 'ünïcödé'],
    ['codex', 'ünïcödé'],
    ['claude-code', '🦀🦀🦀'],
    ['codex', '🦀🦀🦀'],
  ] as const)('is cut for %s with the name line and the closing tag kept: %s', (client, what) => {
    const block = long(what)
    const cut = cutFor(client, block, 1)
    const size = client === 'codex' ? Buffer.byteLength(cut) : cut.length
    const most = client === 'codex' ? 9_600 : 10_000
    expect(size).toBeLessThanOrEqual(most)
    expect(size).toBeGreaterThan(most * 0.9)
    expect(cut.isWellFormed()).toBe(true)
    const lines = cut.split('\n')
    expect(lines.at(-1)).toBe(block.split('\n').at(-1))
    expect(lines.at(-2)).toBe(HANDLE)
    expect(lines[0]).toBe(block.split('\n')[0])
  })

  test('is described in the event: what was cut, from how much, and from how many', async () => {
    await using house = await openHouse({
      env: { LOAM_BUDGETS_MAX_BRIEFING_TOKENS: '20000', LOAM_BRIEFING_CONSTRAINT_MAX_FULL: '0' },
    })
    const agent = await house.inside('orders')
    for (let i = 0; i < 60; i++) {
      await agent.call('memory_write', {
        name: `rule-${i}`,
        kind: 'constraint',
        description: `Rule ${i}: ${'never do that '.repeat(14)}`,
        body: 'x '.repeat(300),
      })
    }
    const start = fixture('codex/session-start', REPO)
    const { context } = await callHook(house, 'session-start', start, CODEX)
    expect(Buffer.byteLength(context!)).toBeLessThanOrEqual(9_600)
    expect(context).toMatch(/session="cx\/[^\n]+\n<\/loam-briefing id="[0-9a-f]{16}">$/)
    const [injected] = await hooked(house, 'retrieval.injected', 'session-start')
    const { payload } = injected!
    expect(payload).toMatchObject({
      content: context,
      truncated: true,
      item_ids_exact: false,
      original_item_count: 60,
      emitted_estimated_tokens: Math.ceil(Buffer.byteLength(context!) / 4),
    })
    expect(payload['item_ids']).toHaveLength(60)
    expect(payload['original_estimated_tokens']).toBeGreaterThan(2_400)
  })
})

describe('a hook that fails', () => {
  test('answers nevertheless, names the cause to the user, and is recorded', async () => {
    await using house = await openHouse()
    await library(house)
    const { db } = house.app.kernel
    await sql`alter table memories rename to memories_away`.execute(db)
    const { status, body, context } = await callHook(house, 'session-start', START)
    await sql`alter table memories_away rename to memories`.execute(db)

    expect(status).toBe(200)
    expect(body).toMatchObject({ continue: true, suppressOutput: true })
    expect(context).toBe('')
    expect(body.systemMessage).toBe('Loam session-start: internal error')
    expect(await house.events('hook.error')).toMatchObject([
      { payload: { stage: 'session-start', error: expect.any(String), client: 'claude-code' } },
    ])
  })

  test('in one part still injects the rest', async () => {
    await using house = await openHouse()
    await library(house)
    const { db } = house.app.kernel
    await sql`
      create function refuse_ambient() returns trigger language plpgsql as
      $$ begin raise exception 'not now'; end $$`.execute(db)
    await sql`
      create trigger refuse_ambient before insert on sessions for each row when (new.ambient)
      execute function refuse_ambient()`.execute(db)
    const { body, context } = await callHook(house, 'session-start', START)
    await sql`drop function refuse_ambient cascade`.execute(db)

    expect(context).toContain('csv-last-row')
    expect(body.systemMessage).toBe('Loam session-start: internal error')
    expect(await house.events('hook.error')).toMatchObject([
      { payload: { stage: 'session-start.session' } },
    ])
  })

  test('on a plan is recorded too, and no stack or path of the host is sent', async () => {
    await using house = await openHouse()
    const { db } = house.app.kernel
    await sql`alter table notes rename to notes_away`.execute(db)
    const { body } = await callHook(
      house,
      'post-tool-use',
      fixture('claude-code/post-tool-use.write'),
    )
    await sql`alter table notes_away rename to notes`.execute(db)
    expect(body).toEqual({
      continue: true,
      suppressOutput: true,
      systemMessage: 'Loam post-tool-use: internal error',
    })
    expect(await house.events('hook.error')).toMatchObject([
      { payload: { stage: 'post-tool-use' } },
    ])
  })
})

test('of each hook of a client it is kept when it was answered last, and why it failed', async () => {
  await using house = await openHouse()
  const { db, telemetry } = house.app.kernel
  const kept = async () => {
    await telemetry.flush()
    return listHookAnswers(db)
  }
  await callHook(house, 'session-start', START)
  await callHook(house, 'stop', { session_id: 's' }, CODEX)
  const went = { answered_at: expect.any(Date), failed_at: null, cause: '' }
  const first = await kept()
  expect(first).toEqual([
    { client: 'claude-code', hook: 'session-start', ...went },
    { client: 'codex', hook: 'stop', ...went },
  ])

  await callHook(house, 'session-start', START)
  expect(await kept(), 'once a minute at most').toEqual(first)
  await house.moveClock('2 minutes')
  await callHook(house, 'session-start', START)
  const [second] = await kept()
  expect(second!.answered_at!.getTime()).toBeGreaterThan(first[0]!.answered_at!.getTime())

  await sql`alter table memories rename to memories_away`.execute(db)
  await callHook(house, 'session-start', START)
  await sql`alter table memories_away rename to memories`.execute(db)
  expect((await kept())[0], 'a failure at once').toEqual({
    ...second,
    failed_at: expect.any(Date),
    cause: 'internal error',
  })
  await callHook(house, 'session-start', START)
  const [again] = await kept()
  expect(again!.answered_at!.getTime(), 'and that it goes well again').toBeGreaterThan(
    again!.failed_at!.getTime(),
  )
})

test('a hook that takes too long is answered with nothing, and the cause', async () => {
  await using house = await openHouse({ deadlineFactor: 0.01 })
  const late = [
    ['session-start', '', '0.02'],
    ['user-prompt-submit', '', '0.02'],
    ['subagent-start', '', '0.02'],
    ['subagent-stop', undefined, '0.08'],
    ['post-tool-use', undefined, '0.08'],
  ] as const
  // While somebody holds the sessions, no hook gets on.
  await house.app.kernel.db.transaction().execute(async (db) => {
    await sql`lock table sessions in access exclusive mode`.execute(db)
    for (const [name, context, seconds] of late) {
      const more = { agent_id: 'a', agent_type: name === 'session-start' ? '' : 'b' }
      const answer = await callHook(house, name, { ...START, ...PROMPT, ...more })
      expect({ name, status: answer.status, context: answer.context }).toEqual({
        name,
        status: 200,
        context,
      })
      const cause = `Loam ${name}: no answer within ${seconds} s`
      expect(answer.body.systemMessage).toBe(cause)
    }
  })
  const stages = (await house.events('hook.error')).map(({ payload }) => payload['stage'])
  expect(stages.toSorted()).toEqual(late.map(([name]) => `${name}.deadline`).toSorted())
  expect(await house.events('retrieval.injected')).toEqual([])
})
