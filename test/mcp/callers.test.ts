import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect, type Agent } from '../helpers/agent.ts'
import { callHook } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'

/** The key of a client's process, as its machine would make it. */
const processOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)

describe('whose a call is, without a word from the agent', () => {
  let house: House
  beforeAll(async () => {
    house = await openHouse()
    const owner = await house.connect()
    await owner.call('project_create', { name: 'vault', isolation: 'sealed' })
    await owner.call('project_create', { name: 'ledger', isolation: 'confidential' })
  })
  afterAll(() => house[Symbol.asyncDispose]())
  let turn = 0
  beforeEach(async () => {
    turn++
    await house.app.database.db.updateTable('sessions').set({ status: 'completed' }).execute()
  })

  /** The directory in which a project's repository lies. */
  const directory = (project: string) => `/src/${project}`
  const remote = (project: string) => `git@github.com:acme/${project}.git`

  /** A client starts: its hook announces the session. Returns the rest of what it sends. */
  async function start(
    project: string,
    { client = 'claude-code', name = project, source = 'startup', ...more }: Started = {},
  ): Promise<Announced> {
    const session_id = `${name}-${turn}`
    const process = processOf(more.process ?? session_id)
    const place = { cwd: directory(project), repo: remote(project), repo_root: directory(project) }
    const said = { session_id, source, model: `model-of-${name}`, process, ...place }
    await callHook(house, 'session-start', said, { query: `?client=${client}` })
    return { session_id, process, client }
  }
  interface Started {
    client?: string
    name?: string
    source?: string
    process?: string
  }
  interface Announced {
    session_id: string
    process: string
    client: string
  }

  const connected = ({ url, key }: House, headers: Record<string, string>, name?: string) =>
    connect({ url, key, headers, ...(name && { name }) })
  /** As our bridge connects in that directory. */
  const bridged = ({ process, client }: Announced, project: string): Promise<Agent> =>
    connected(house, {
      'loam-process': process,
      'loam-client': client,
      'loam-directory': directory(project),
    })

  const row = async (session_id: string) =>
    house.app.database.db
      .selectFrom('sessions')
      .selectAll()
      .where('client_session_id', '=', session_id)
      .where('ambient', '=', true)
      .executeTakeFirstOrThrow()
  const written = async (id: string) => {
    return (await house.events('memory.written')).find(({ item_id }) => item_id === id)!
  }
  let memories = 0
  const remember = (agent: Agent, more: object = {}, meta?: Record<string, unknown>) =>
    agent.call(
      'memory_write',
      {
        name: `fact-${memories++}`,
        kind: 'decision',
        description: 'a fact that holds',
        body: 'It holds.',
        ...more,
      },
      meta,
    )

  test('two clients in two projects write each under its own session', async () => {
    const [atlas, borea] = [await start('atlas'), await start('borea', { client: 'codex' })]
    await using first = await bridged(atlas, 'atlas')
    await using second = await bridged(borea, 'borea')
    for (const [agent, { session_id }, project] of [
      [first, atlas, 'atlas'],
      [second, borea, 'borea'],
    ] as const) {
      const { id, project: where } = await remember(agent)
      expect(where).toBe(project)
      const session = (await row(session_id)).id
      const { source_session } = await agent.call('memory_read', { id })
      expect(source_session).toBe(session)
      expect(await written(id)).toMatchObject({ session_id: session, payload: {} })
      const { created_by } = await agent.call('tasks_add', { title: `Look at ${project}` })
      expect(created_by).toBe((await row(session_id)).name)
    }
  })

  test('two clients in one project are told apart', async () => {
    const one = await start('atlas', { name: 'one' })
    await start('atlas', { name: 'two' })
    await using agent = await bridged(one, 'atlas')
    const { id } = await remember(agent)
    expect((await written(id)).session_id).toBe((await row(one.session_id)).id)
    const { id: task } = await agent.call('tasks_add', { title: 'Mend it' })
    const { claimed_by } = await agent.call('tasks_claim', { id: task })
    expect(claimed_by).toBe((await row(one.session_id)).name)
  })

  test('the process goes on with the session that it announced last', async () => {
    const before = await start('atlas', { name: 'before', process: 'p' })
    await using agent = await bridged(before, 'atlas')
    await callHook(house, 'session-end', { session_id: before.session_id, reason: 'clear' })
    const after = await start('atlas', { name: 'after', process: 'p', source: 'clear' })
    const { id } = await remember(agent)
    expect((await written(id)).session_id).toBe((await row(after.session_id)).id)

    // Back to the first one, as `/resume` does it.
    await start('atlas', { name: 'before', process: 'p', source: 'resume' })
    const { id: later } = await remember(agent)
    expect((await written(later)).session_id).toBe((await row(before.session_id)).id)
  })

  test('a call of an ended session revives it', async () => {
    const ended = await start('atlas', { name: 'ended' })
    await callHook(house, 'session-end', { session_id: ended.session_id })
    expect(await row(ended.session_id)).toMatchObject({ status: 'completed' })
    await using agent = await bridged(ended, 'atlas')
    await remember(agent)
    expect(await row(ended.session_id)).toMatchObject({ status: 'active' })
  })

  test('Codex tells thread and model with every call', async () => {
    const announced = await start('atlas', { client: 'codex', name: 'thread' })
    await start('atlas', { client: 'codex', name: 'another' })
    await using agent = await connected(house, {}, 'codex-mcp-client')
    const { session_id } = announced
    for (const turn of [
      { session_id, model: 'gpt-9' },
      JSON.stringify({ session_id, model: 'gpt-9' }),
    ]) {
      const { id } = await remember(agent, {}, { 'x-codex-turn-metadata': turn })
      const session = (await row(session_id)).id
      expect(await written(id)).toMatchObject({ session_id: session })
    }
    const called = (await house.events('tool.call')).at(-1)!
    expect(called.session_id).toBe((await row(session_id)).id)
  })

  test("a client's plugin tells the session beside the arguments, which stay as they were", async () => {
    const { session_id } = await start('atlas', { client: 'opencode', name: 'ses' })
    await start('atlas', { client: 'opencode', name: 'other' })
    await using agent = await connected(house, {}, 'opencode')
    const told = { client: 'opencode', session: session_id, model: 'm9' }
    const { id } = await remember(agent, { _loam: told })
    expect((await written(id)).session_id).toBe((await row(session_id)).id)
    await house.app.kernel.telemetry.flush()
    const called = (await house.events('tool.call')).at(-1)!
    expect(JSON.stringify(called.payload)).not.toContain('_loam')
  })

  test('a session that a client gives with the call is exact: no other one counts for it', async () => {
    const { process } = await start('atlas', { client: 'opencode', name: 'first' })
    await using agent = await connected(house, { 'loam-process': process }, 'opencode')
    const stranger = { client: 'opencode', session: 'never announced' }
    const { id } = await remember(agent, { _loam: stranger })
    expect((await written(id)).session_id).toBeNull()
  })

  test('the session with which a process began counts until the process announces another', async () => {
    const first = await start('atlas', { client: 'qwen', name: 'first', process: 'q' })
    const began = { 'loam-client': 'qwen', 'loam-session': first.session_id }
    await using alone = await connected(house, began)
    const { id } = await remember(alone)
    expect((await written(id)).session_id).toBe((await row(first.session_id)).id)

    const next = await start('atlas', { client: 'qwen', name: 'next', process: 'q' })
    await using agent = await connected(house, { ...began, 'loam-process': next.process })
    const { id: later } = await remember(agent)
    expect((await written(later)).session_id).toBe((await row(next.session_id)).id)
  })

  test('what was written before the client said its model is by the one that it says first', async () => {
    const { session_id, process } = await start('atlas', { name: 'silent' })
    const { db } = house.app.database
    await db
      .updateTable('sessions')
      .set({ model: '', first_model: '' })
      .where('client_session_id', '=', session_id)
      .execute()
    await using agent = await connected(house, { 'loam-process': process })
    const { id: memory } = await remember(agent)
    const text = { title: `Early ${turn}`, description: 'd', body: 'b' }
    const { id: note } = await agent.call('notes_create', text)
    expect(await agent.call('notes_read', { id: note })).not.toHaveProperty('model')

    for (const model of ['m-first', 'm-later']) {
      await callHook(house, 'stop', { session_id, model })
      const models = [
        (await agent.call('memory_read', { id: memory }))['model'],
        (await agent.call('notes_read', { id: note }))['model'],
      ]
      expect(models).toEqual(['m-first', 'm-first'])
    }
    const { id: later } = await remember(agent)
    expect((await agent.call('memory_read', { id: later }))['model']).toBe('m-later')
  })

  test('a session that is named in the call goes before the one that is shown', async () => {
    const shown = await start('atlas', { name: 'shown' })
    const named = await start('borea', { name: 'named' })
    await using agent = await bridged(shown, 'atlas')
    const { name, id: session } = await row(named.session_id)
    const { id, project } = await remember(agent, { session: name })
    expect(project).toBe('borea')
    expect((await written(id)).session_id).toBe(session)
  })

  test('session_start takes over the session that is shown, or begins one of its own', async () => {
    const one = await start('atlas', { name: 'one' })
    await start('atlas', { name: 'two' })
    await using agent = await bridged(one, 'atlas')
    const { session_id, resumed } = await agent.call('session_start', { cwd: directory('atlas') })
    expect([session_id, resumed]).toEqual([(await row(one.session_id)).id, true])

    await agent.call('session_start', { name: `own-${turn}`, cwd: directory('atlas') })
    // Another connection of the same client, as after a restart.
    await using again = await bridged(one, 'atlas')
    const { created_by } = await again.call('tasks_add', { title: 'Go on' })
    expect(created_by).toBe(`own-${turn}`)
  })

  describe('a known session binds, fences included', () => {
    test('it reads and writes in its sealed project and nowhere else', async () => {
      const inside = await start('vault', { name: 'inside' })
      await house.app.database.db
        .updateTable('sessions')
        .set({ project: 'vault' })
        .where('client_session_id', '=', inside.session_id)
        .execute()
      await using agent = await connected(house, { 'loam-process': inside.process })
      expect((await remember(agent)).project).toBe('vault')
      await expect(remember(agent, { project: 'atlas' })).rejects.toThrow('can write nowhere else')
    })

    test.each(['vault', 'ledger'])('a place alone does not open %s', async (project) => {
      const { database } = house.app
      await sqlMap(database.db, `/fenced/${project}`, project)
      await using agent = await connected(house, {
        'loam-directory': `/fenced/${project}/lib`,
        'loam-client': 'claude-code',
        'loam-process': processOf('never announced'),
        'loam-session': 'never announced',
      })
      await expect(remember(agent)).rejects.toThrow('bind a session to it first')
      await expect(agent.call('recall', { query: 'fact' })).rejects.toThrow('bind a session to it')
      await expect(agent.call('tasks_list', { project })).rejects.toThrow('only a session bound')
    })
  })

  describe('a guess', () => {
    test('follows the directory, whoever else is at work', async () => {
      const only = await start('borea', { name: 'only' })
      await start('atlas', { name: 'gone' })
      await callHook(house, 'session-end', { session_id: `gone-${turn}` })
      await using agent = await connected(house, { 'loam-directory': '/src/atlas/lib' })
      const { id, project } = await remember(agent)
      expect(project).toBe('atlas')
      expect((await written(id)).session_id).toBeNull()
      expect((await row(only.session_id)).project).toBe('borea')
    })

    test('in a place of no project falls to nobody else', async () => {
      await start('atlas', { name: 'only' })
      await using agent = await connected(house, { 'loam-directory': '/elsewhere/zeta' })
      await expect(remember(agent)).rejects.toThrow(
        'ambiguous scope: the directory you work in belongs to no project yet; pass project=<slug>',
      )
    })

    test('is recorded as one, stamps nobody, and is no sign of life', async () => {
      const { session_id } = await start('atlas', { name: 'probable' })
      const { id: session } = await row(session_id)
      await house.app.database.db
        .updateTable('sessions')
        .set({ updated_at: new Date(Date.now() - 60_000) })
        .where('id', '=', session)
        .execute()
      const silent = (await row(session_id)).updated_at
      await using agent = await connected(house, { 'loam-directory': '/src/atlas' })
      const { id } = await remember(agent)
      expect(await written(id)).toMatchObject({
        session_id: null,
        payload: { probable_session: session },
      })
      expect((await agent.call('memory_read', { id }))['source_session']).toBe('')
      await house.app.kernel.telemetry.flush()
      expect((await row(session_id)).updated_at).toEqual(silent)
    })

    test("never means the session of another client's", async () => {
      const { session_id } = await start('atlas', { client: 'codex', name: 'codex' })
      const { id: session, name } = await row(session_id)
      await using agent = await connected(house, {}, 'opencode')
      const { id, created_by } = await agent.call('tasks_add', { title: 'Mine' })
      expect(created_by ?? '').not.toBe(name)
      expect(JSON.stringify(await house.events('task.transition'))).not.toContain(
        `"probable_session":"${session}"`,
      )
      await expect(agent.call('tasks_claim', { id })).rejects.toThrow(
        `pass session=<your own handle, as your briefing says it; active are ${name} (atlas)>`,
      )
    })

    test('is what a known session becomes whose directory is of another project', async () => {
      const { process, client } = await start('atlas', { name: 'astray' })
      await start('borea', { name: 'b' })
      await using agent = await bridged({ process, client, session_id: '' }, 'borea')
      const { id, project } = await remember(agent)
      expect(project).toBe('borea')
      expect((await written(id)).session_id).toBeNull()
    })

    test('leads nobody out of the fence behind which its client has gone', async () => {
      const shown = await start('atlas', { name: 'gone-behind' })
      await using agent = await bridged(shown, 'atlas')
      expect((await remember(agent)).project).toBe('atlas')

      // The client works in another directory by now; its bridge shows the one where its process began.
      const { session_id, process } = shown
      await sqlMap(house.app.database.db, '/fenced/books', 'ledger')
      const inside = { cwd: '/fenced/books', repo_root: '/fenced/books' }
      await callHook(house, 'session-start', { session_id, process, source: 'compact', ...inside })
      await expect(remember(agent)).rejects.toThrow(
        'ambiguous scope: your client works behind a fence, away from the directory that it shows; ' +
          'pass session=<your own handle, as your briefing says it>, or pass project=<slug>',
      )
      const { name } = await row(session_id)
      expect((await remember(agent, { session: name })).project).toBe('ledger')
    })

    test('between several projects names the handles before the projects', async () => {
      const [a, b] = [await start('atlas', { name: 'a' }), await start('borea', { name: 'b' })]
      const [first, second] = [await row(a.session_id), await row(b.session_id)]
      await using agent = await house.connect()
      const refused = remember(agent)
      await expect(refused).rejects.toThrow(
        'ambiguous scope: agents are at work in several projects; pass session=',
      )
      await expect(refused).rejects.toThrow(`${first.name} (atlas)`)
      await expect(refused).rejects.toThrow(`${second.name} (borea)`)
    })
  })
})

async function sqlMap(db: House['app']['database']['db'], place: string, project: string) {
  await db
    .insertInto('repos')
    .values({ place, remote: false, project })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
