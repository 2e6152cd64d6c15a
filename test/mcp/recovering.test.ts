import { describe, expect, test } from 'vitest'
import { instructions } from '../../src/mcp/instructions.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { Novice, reachBySession, reachStateless, type Reach } from '../helpers/novice.ts'
import { INITIALIZE, openStateless, openWire } from '../helpers/wire.ts'

/** Both generations of the protocol, each as its clients reach it. */
const GENERATIONS: [string, (house: House) => Promise<Reach>][] = [
  ['with sessions', async (house) => reachBySession(await openWire(house), instructions)],
  ['without sessions', (house) => reachStateless(openStateless(house))],
]

describe.each(GENERATIONS)(
  'a client that knows the list and the instructions, %s,',
  (_, reachOf) => {
    test('does all its work, though it calls everything wrongly first', async () => {
      await using house = await openHouse()
      const novice = new Novice(await reachOf(house))
      const knows = { project: 'Big Ship', query: 'flaky seed' }

      // The instructions name what to begin with; the rest is guessed as one guesses.
      const started = await novice.do({ tool: 'start_session', args: { projct: 'Big Ship' } })
      expect(started).toMatchObject({ project: 'big-ship' })
      novice.session = started['session_id'] as string

      const fact = { name: 'fixed seed', description: 'Flaky tests went away with a fixed seed' }
      const told = await novice.do({
        tool: 'memory_writing',
        args: {
          heading: 'Fixed seed',
          kind: 'warning',
          content: 'Set SEED=7.\nRun twice.',
          text: 'Set another.',
          tags: 7,
          session: 'the one I began',
        },
        knows: { ...knows, ...fact, kind: 'gotcha', tags: ['tests'] },
      })
      expect(told).toMatchObject({ name: 'fixed-seed', project: 'big-ship', updated: false })

      const session = { session: novice.session }
      const note = { title: 'How it was found', body: 'one two\nthree two\n' }
      const first = await novice.do({
        tool: 'notes_create',
        args: { title: note.title, body: ' ', ...session },
        knows: note,
      })
      const second = await novice.do({ tool: 'notes_create', args: { ...note, ...session } })
      expect(second['slug']).not.toBe(first['slug'])

      const found = await novice.do({
        tool: 'recal',
        args: { q: 'seed', limit: '1000', scope: 'everything', ...session },
        knows: { query: 'flaky seed', scope: 'memories' },
      })
      expect(found['hits']).toMatchObject([{ name: 'fixed-seed' }])

      const read = await novice.do({
        tool: 'memory_read',
        args: { id: told['id'], name: 'the seed thing', ...session },
        knows: { name: 'the seed thing', ...knows },
      })
      expect(read).toMatchObject({ name: 'fixed-seed', body: 'Set SEED=7.\nRun twice.' })

      const edited = await novice.do({
        tool: 'memory_edit',
        args: {
          name: 'seed',
          edits: [{ old: 'run it twice', new_string: 'Run it three times.' }],
          expect_hash: '0'.repeat(64),
          ...session,
        },
        knows: { ...knows, old_string: 'run it twice' },
      })
      expect(edited['diff']).toContain('+Run it three times.')

      await novice.do({
        tool: 'notes_edit',
        args: { id: first['id'], edits: { old_string: 'two', new_string: 'six' }, ...session },
        knows: { edits: [{ old_string: 'two', new_string: 'six' }] },
      })
      await novice.do({
        tool: 'notes_update',
        args: { id: first['id'], ...session },
        knows: { description: 'Where the flake came from' },
      })

      await novice.do({
        tool: 'memory_write',
        args: {
          name: 'seeded by date',
          kind: 'decision',
          description: 'Seeds follow the date',
          body: 'Since June.',
          supersedes: 'fixed-seed',
          ...session,
        },
      })
      const added = await novice.do({
        tool: 'memory_append',
        args: { name: 'fixed-seed', body: 'In UTC.', ...session },
      })
      expect(added['name']).toBe('seeded-by-date')

      const ended = await novice.do({
        tool: 'session_end',
        args: { summary: 'All done', tokens: { input: '12', out: 5 }, ...session },
        knows: { findings: 'The seed follows the date now' },
      })
      expect(ended).toMatchObject({ session_id: novice.session, status: 'completed' })

      const { kernel } = house.app
      const sessions = await kernel.db.selectFrom('sessions').select(['id', 'findings']).execute()
      expect(sessions).toEqual([{ id: novice.session, findings: 'The seed follows the date now' }])
      expect(await house.files()).toEqual([
        'memory/big-ship/fixed-seed.md',
        'memory/big-ship/seeded-by-date.md',
        'notes/big-ship/how-it-was-found-again.md',
        'notes/big-ship/how-it-was-found.md',
      ])
      expect((await house.events('tool.call')).map(({ session_id }) => session_id)).toContain(
        novice.session,
      )
      expect(novice.met.length).toBeGreaterThan(25)
      // So many it took when the list of tools was a fifth longer.
      expect(novice.met.length).toBeLessThanOrEqual(31)
      expect(novice.met.filter((error) => error.includes('internal error'))).toEqual([])
    })

    test('divides its work, though it names, orders and counts the steps wrongly', async () => {
      await using house = await openHouse()
      const novice = new Novice(await reachOf(house))
      const session = { session: await novice.begin({ project: 'atlas' }) }
      const first = await novice.do({
        tool: 'tasks_add',
        args: { name: 'Read', plan: 'launch', ...session },
        knows: { title: 'Read the old files' },
      })
      const second = await novice.do({
        tool: 'tasks_add',
        args: { title: 'Write', plan: 'launch', depends_on: 'the first one', ...session },
        knows: { depends_on: [first['id']] },
      })
      const ready = await novice.do({
        tool: 'tasks_ready',
        args: { plan: 'launch', limit: 0, ...session },
      })
      expect(ready['ready']).toMatchObject([{ id: first['id'] }])

      const claim = (id: unknown) =>
        novice.do({
          tool: 'tasks_claim',
          args: { id, lease_seconds: 'ten minutes', ...session },
          knows: { lease_seconds: 600 },
        })
      // What it means to begin with waits for something: the error says for what.
      const begun = await claim(second['id'])
      expect(begun).toMatchObject({ id: first['id'], status: 'in_progress' })
      const close = (id: unknown) =>
        novice.do({
          tool: 'tasks_update',
          args: { id, state: 'finished', ...session },
          knows: { status: 'done' },
        })
      expect(await close(first['id'])).toMatchObject({ status: 'done' })
      expect(await claim(second['id'])).toMatchObject({ id: second['id'] })
      expect(await close(second['id'])).toMatchObject({ status: 'done' })
      // It looks again at what it has closed, and is told how that goes.
      expect(await claim(second['id'])).toMatchObject({ id: second['id'], status: 'in_progress' })
    })

    test('mends the name of a project that is not there', async () => {
      await using house = await openHouse()
      const novice = new Novice(await reachOf(house))
      const session = { session: await novice.begin({ project: 'atlas' }) }
      const knows = { project: 'atlas' }
      const call = { tool: 'tasks_ready', args: { project: 'atls', ...session }, knows }
      expect(await novice.do(call)).toMatchObject({ project: 'atlas' })
    })

    test('learns from errors to name a project when it began no session', async () => {
      await using house = await openHouse()
      const novice = new Novice(await reachOf(house))
      const written = await novice.do({
        tool: 'notes_create',
        args: { title: 'A', body: 'B' },
        knows: { project: 'atlas' },
      })
      expect(written['project']).toBe('atlas')

      const knows = { project: 'atlas', findings: 'Known' }
      const updated = await novice.do({ tool: 'session_update', args: {}, knows })
      expect(updated).toMatchObject({ session_id: novice.session })
    })
  },
)

test('every tool leads from a call without sense to one that is understood, by its errors alone', async () => {
  await using house = await openHouse({ env: { LOAM_FEATURES_RESEARCH: 'true' } })
  const { body } = await (await openWire(house)).ask('tools/list')
  const tools = body.result.tools as Reach['tools']
  for (const { name, inputSchema } of tools) {
    const reach = await reachBySession(await openWire(house), instructions)
    const novice = new Novice(reach)
    const every = Object.keys(inputSchema.properties)
    // Each parameter in a shape that none has, and one that no tool has.
    const args = Object.fromEntries(every.map((parameter) => [parameter, { no: 'sense' }]))
    delete args['session']
    const outcome = await novice
      .do({ tool: name, args: { ...args, nonsense: 1 } })
      .catch((error: Error) => error.message)
    const last = typeof outcome === 'string' ? outcome : 'understood'
    // What is left, if anything, is about the thing itself and no more about how the call is put.
    expect([name, last]).toEqual([name, expect.not.stringMatching(/tries|internal error|expected/)])
    expect(novice.met[0]).toMatch(new RegExp(`^${name}: unknown parameter "nonsense"; `))
  }
})

test('what the instructions say first is enough to begin with', async () => {
  await using house = await openHouse()
  const { body } = await (
    await openWire(house)
  ).send({
    body: INITIALIZE,
    headers: { 'mcp-session-id': undefined },
  })
  const first = (body.result.instructions as string).slice(0, 512)
  const { tools } = await reachBySession(await openWire(house), instructions)
  const named = tools.filter(({ name }) => first.includes(name)).map(({ name }) => name)
  expect(named).toEqual(expect.arrayContaining(['memory_write', 'notes_create', 'recall']))
})
