import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { indexQueued, queueStale } from '../../src/passages/passages.ts'
import { ambientSession } from '../../src/sessions/sessions.ts'
import { addTask } from '../../src/tasks/tasks.ts'
import { GLOBAL, scopeOf, type Isolation } from '../../src/projects/projects.ts'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe('a session', () => {
  let house: House
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const row = (id: string) =>
    house.app.database.db
      .selectFrom('sessions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const setStatus = (id: string, status: string) =>
    house.app.database.db.updateTable('sessions').set({ status }).where('id', '=', id).execute()
  const start = async (project = 'atlas', name = 'harbor', by = agent): Promise<string> =>
    (await by.call('session_start', { project, name }))['session_id']
  const ambient = (external_id: string, project = 'atlas') =>
    ambientSession(house.app.kernel, {
      client: 'claude-code',
      external_id,
      project,
      cwd: '',
      source: 'startup',
    })
  const register = (project: string, isolation: Isolation) => house.inside(project, isolation)

  describe('tells what it has found', () => {
    test('and goes on; what it told before is replaced', async () => {
      const id = await start()
      await agent.call('session_update', { findings: 'first' })
      expect(await agent.call('session_update', { findings: '  the quokka leaks \n' })).toEqual({
        session_id: id,
        status: 'active',
      })
      expect(await row(id)).toMatchObject({ status: 'active', findings: 'the quokka leaks' })
      const { hits } = await agent.call('recall', { query: 'quokka' })
      expect(hits).toMatchObject([{ kind: 'session', id, title: 'harbor', project: 'atlas' }])
      expect((await agent.call('recall', { query: 'first' }))['hits']).toEqual([])
      expect((await house.events('tool.call')).at(-3)).toMatchObject({
        session_id: id,
        payload: { tool: 'session_update' },
      })
    })

    test('which is found again when the words are read anew in the background', async () => {
      await start()
      await agent.call('session_update', { findings: 'the quokka leaks' })
      const { kernel, database } = house.app
      await database.db
        .updateTable('passages')
        .set({ normaliser: 0, words: sql`''` })
        .execute()
      await queueStale(kernel)
      await indexQueued(kernel)
      const hits = async () => (await agent.call('recall', { query: 'quokka' }))['hits'] as object[]
      await expect.poll(hits).toHaveLength(1)
    })

    test.each(['completed', 'expired'])('after it is %s, which it stays', async (status) => {
      const id = await start()
      await setStatus(id, status)
      const other = await house.connect()
      expect(
        await other.call('session_update', { session: 'harbor', findings: 'late words' }),
      ).toEqual({ session_id: id, status })
      expect(await row(id)).toMatchObject({ status, findings: 'late words' })
    })

    test.each([
      [{ findings: ' \n' }, 'session_update: findings is required'],
      [{}, 'missing required: "findings"'],
    ])('but not with %j', async (args, words) => {
      await start()
      await expect(agent.call('session_update', args)).rejects.toThrow(words)
    })
  })

  describe('ends', () => {
    test('with its findings, and is bound no more while the connection lives on', async () => {
      const id = await start()
      const ended = await agent.call('session_end', {
        findings: 'done: the quokka holds',
        tokens: { input: 10, cached: 20, cache_creation: 30, output: 40 },
      })
      expect(ended).toEqual({
        session_id: id,
        status: 'completed',
        claims_released: 0,
        mishaps_recorded: 0,
      })
      expect(await row(id)).toMatchObject({
        status: 'completed',
        findings: 'done: the quokka holds',
        input_tokens: 10,
        cached_tokens: 20,
        cache_creation_tokens: 30,
        output_tokens: 40,
      })
      expect(await house.events('session.ended')).toMatchObject([
        {
          session_id: id,
          project: 'atlas',
          payload: { findings: 'done: the quokka holds', claims_released: 0 },
        },
      ])
      await expect(agent.call('notes_create', { title: 'x', body: 'y' })).rejects.toThrow(
        'ambiguous scope',
      )
      expect(await agent.call('recall', { query: 'quokka', project: 'atlas' })).toMatchObject({
        hits: [{ kind: 'session', id }],
      })
    })

    test('for every connection that spoke for it, even when it is resumed', async () => {
      const id = await start()
      const other = await house.connect()
      await start('atlas', 'harbor', other)
      await other.call('session_end', { findings: 'done' })
      await start('atlas', 'harbor', other)
      await expect(agent.call('notes_create', { title: 'x', body: 'y' })).rejects.toThrow(
        'ambiguous scope',
      )
      expect(await row(id)).toMatchObject({ status: 'active' })
    })

    test('again when it says so again: the last words stay', async () => {
      const id = await start()
      await agent.call('session_end', { findings: 'one' })
      await agent.call('session_end', { session: id, findings: 'two' })
      expect(await row(id)).toMatchObject({ status: 'completed', findings: 'two' })
      expect(await house.events('session.ended')).toHaveLength(2)
    })

    test('and holds no task any more', async () => {
      const id = await start()
      const { db, kernel } = { db: house.app.database.db, kernel: house.app.kernel }
      const task = await addTask(
        kernel,
        { session: id, model: '' },
        { project: '', scope: scopeOf(GLOBAL) },
        { title: 'Mend the gate' },
      )
      const claim = { status: 'in_progress', claimed_by: id, claim_token: 'T' }
      await db.updateTable('tasks').set(claim).where('id', '=', task.id).execute()
      expect(await agent.call('session_end', { findings: 'x' })).toMatchObject({
        claims_released: 1,
      })
      const free = db.selectFrom('tasks').select(['status', 'claimed_by']).where('id', '=', task.id)
      expect(await free.executeTakeFirst()).toEqual({ status: 'open', claimed_by: '' })
      const [ended] = await house.events('session.ended')
      expect(ended?.payload).toMatchObject({ claims_released: 1 })
    })

    test('with its mishaps, each with the memories that it names as whole words', async () => {
      const writer = await house.inside('atlas')
      const remember = async (name: string, project = 'atlas') =>
        (
          await writer.call('memory_write', {
            name,
            project,
            kind: 'gotcha',
            description: name,
            body: name,
          })
        )['id'] as string
      const utc = await remember('use-utc')
      const world = await remember('ask-first', 'global')
      await remember('utc')
      await remember('elsewhere', 'delta')
      const gone = await remember('gone')
      await writer.call('memory_delete', { name: 'gone' })
      await start()
      const mishaps = [
        'forgot `use-utc`, then ask-first; not reuse-utc, use-utc_2 or Use-UTC',
        'elsewhere and gone say nothing, no-utc neither',
      ]
      expect(await agent.call('session_end', { findings: 'x', mishaps })).toMatchObject({
        mishaps_recorded: 2,
      })
      const told = await house.events('agent.mishap')
      expect(told.map(({ payload }) => payload)).toEqual([
        { description: mishaps[0], item_ids: [utc, world].sort() },
        { description: mishaps[1] },
      ])
      expect(gone).toBeTruthy()
      const all = await house.app.database.db
        .selectFrom('events')
        .select('kind')
        .where('kind', 'in', ['agent.mishap', 'session.ended'])
        .orderBy('id')
        .execute()
      expect(all.map(({ kind }) => kind)).toEqual(['agent.mishap', 'agent.mishap', 'session.ended'])
    })

    test('with one mishap that is a sentence, whatever its commas', async () => {
      await start()
      const mishaps = 'I ran the migration, then the tests, in that order'
      expect(await agent.call('session_end', { findings: 'x', mishaps })).toMatchObject({
        mishaps_recorded: 1,
      })
      expect((await house.events('agent.mishap'))[0]?.payload).toEqual({ description: mishaps })
    })

    test('of a sealed project, naming no memory of the world', async () => {
      const insider = await register('crypt', 'sealed')
      const world = await house.inside('')
      const memory = { kind: 'gotcha', description: 'd', body: 'b' }
      await world.call('memory_write', { name: 'ask-first', ...memory })
      const { id } = await insider.call('memory_write', { name: 'stay-in', ...memory })
      await insider.call('session_end', {
        findings: 'x',
        mishaps: ['ask-first', 'ignored stay-in'],
      })
      const told = await house.events('agent.mishap')
      expect(told.map(({ payload }) => payload)).toEqual([
        { description: 'ask-first' },
        { description: 'ignored stay-in', item_ids: [id] },
      ])
    })

    test.each([
      [{ findings: '' }, 'findings is required'],
      [{ findings: 'x', tokens: { input: -1 } }, 'invalid tokens.input: must be >= 0'],
      [{ findings: 'x', tokens: { spent: 1 } }, 'unknown parameter "spent"'],
    ])('but not with %j', async (args, words) => {
      const id = await start()
      await expect(agent.call('session_end', args)).rejects.toThrow(words)
      expect(await row(id)).toMatchObject({ status: 'active' })
    })
  })

  describe.each(['session_update', 'session_end'])('is meant by %s', (tool) => {
    const say = (args: object, by = agent) => by.call(tool, { findings: 'x', ...args })

    test('when it is named, by name or id, under either name of the argument', async () => {
      const id = await start()
      const other = await house.connect()
      for (const args of [{ session: 'harbor' }, { session: id }, { session_id: id }]) {
        expect(await say(args, other)).toMatchObject({ session_id: id })
      }
      const calls = await house.events('tool.call')
      expect(calls.at(-1)).toMatchObject({ session_id: id, project: 'atlas' })
    })

    test('when the connection is bound to it, and it may be named there', async () => {
      const id = await start()
      await ambient('one')
      await ambient('two', 'delta')
      expect(await say({ session: 'harbor' })).toMatchObject({ session_id: id })
      const unbound = await house.connect()
      await start('delta', 'quay', unbound)
      expect(await say({}, unbound)).not.toMatchObject({ session_id: id })
    })

    test('when it is the only ambient one', async () => {
      const { id } = await ambient('one')
      expect(await say({})).toMatchObject({ session_id: id })
      expect((await house.events('tool.call')).at(-1)).toMatchObject({ session_id: id })
    })

    test('never by a name that nobody has, which falls through to nothing', async () => {
      await ambient('one')
      await expect(say({ session: 'nobody' })).rejects.toThrow(
        `${tool}: no active session; start one with session_start`,
      )
    })

    test('never when there is none, or the only ambient one is silent for six hours', async () => {
      await expect(say({})).rejects.toThrow('no active session')
      await ambient('one')
      await house.moveClock('6 hours 1 second')
      await expect(say({})).rejects.toThrow('no active session')
    })

    test.each(['atlas', 'delta'])('never when a second ambient one is in %s', async (project) => {
      const { name } = await ambient('one')
      const other = await ambient('two', project)
      await expect(say({})).rejects.toThrow(
        `${tool}: ambiguous session: several agents are active; pass session=<your own handle, as ` +
          `your briefing says it; active are ${other.name} (${project}), ${name} (atlas)>`,
      )
      expect(await say({ session: name })).toMatchObject({ session_id: expect.any(String) })
    })

    test('never by the handle of an agent behind a fence, which is named to nobody', async () => {
      await house.inside('crypt', 'sealed')
      await ambient('one', 'crypt')
      await ambient('two', 'crypt')
      await expect(say({})).rejects.toThrow(
        `${tool}: ambiguous session: several agents are active; pass session=<your own handle, as ` +
          'your briefing says it>',
      )
    })

    test('never another one than that of the connection', async () => {
      await start()
      const other = await house.connect()
      await start('delta', 'quay', other)
      await expect(say({ session: 'quay' })).rejects.toThrow('bound to another session')
    })

    test.each(['confidential', 'sealed'] as const)(
      'in a %s project only by who is in it or names it',
      async (isolation) => {
        await register('crypt', isolation)
        const { id, name } = await ambient('one', 'crypt')
        await expect(say({})).rejects.toThrow(`project crypt is ${isolation}`)
        expect(await row(id)).toMatchObject({ status: 'active', findings: '' })
        expect(await say({ session: name })).toMatchObject({ session_id: id })
      },
    )
  })
})
