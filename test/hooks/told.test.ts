import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { forgetLongTold } from '../../src/briefing/briefing.ts'
import { callHook, fixture, type Hooked } from '../helpers/call-hook.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { SEED } from '../helpers/seed.ts'
import { WHOLE } from '../helpers/share.ts'

const REPO = { repo: 'git@github.com:acme/orders.git', repo_root: '/home/ana/src/orders' }
const START = fixture('claude-code/session-start', REPO)
const PROMPT = fixture('claude-code/user-prompt-submit')
const SPAWN = fixture('claude-code/subagent-start')
const EXTERNAL = START['session_id'] as string

const THINGS = [
  ['harbour', 'lantern'],
  ['tide', 'cache'],
  ['invoice', 'rounding'],
  ['csv', 'importer'],
  ['brake', 'calliper'],
  ['ledger', 'export'],
  ['gateway', 'timeout'],
  ['sextant', 'polish'],
] as const

type Start = { source?: string; session_id?: string; agent_type?: string }
const start = (house: House, more: Start = {}) =>
  callHook(house, 'session-start', { ...START, ...more })
const ask = (house: House, prompt: string, session_id = EXTERNAL) =>
  callHook(house, 'user-prompt-submit', { ...PROMPT, session_id, prompt })
const spawn = (house: House, spawn_prompt: string, agent_id = 'a1') =>
  callHook(house, 'subagent-start', { ...SPAWN, agent_id, spawn_prompt })

/** The memories that a text names. */
const namesIn = ({ context = '' }: Hooked): string[] =>
  context.split('\n').flatMap((line) => /^- ([\w/-]+)/.exec(line)?.[1] ?? [])

const about = (one: readonly [string, string], more = ''): object => ({
  name: `${one.join('-')}${more}`,
  kind: 'gotcha',
  description: `How the ${one[0]} ${one[1]} behaves${more && ` in case ${more}`}`,
  body: 'x',
})

/** A project that knows nothing in its briefing, so that prompts alone tell. */
async function library(house: House, more: (readonly [string, string])[] = []) {
  const agent = await house.inside('orders')
  for (const one of [...THINGS, ...more]) await agent.call('memory_write', { ...about(one) })
  return agent
}

const UNTOLD = { env: { LOAM_BRIEFING_MEMORY_MAX_ITEMS: '1' } }
const HARBOUR = 'why does the harbour lantern flicker'

describe('a memory', () => {
  test('is told by one prompt and not by the next, whatever they ask', async () => {
    await using house = await openHouse(UNTOLD)
    await library(house)
    await start(house)
    expect(namesIn(await ask(house, HARBOUR))).toEqual(['harbour-lantern'])
    expect((await ask(house, HARBOUR)).context).toBe('')
    expect(namesIn(await ask(house, 'harbour lantern and tide cache'))).toEqual(['tide-cache'])
    expect(namesIn(await ask(house, HARBOUR, 'another-session'))).toEqual(['harbour-lantern'])
  })

  test('that its briefing told is not told by a prompt, and a compacted context has it anew', async () => {
    await using house = await openHouse()
    const agent = await house.inside('orders')
    await agent.call('memory_write', { ...about(['harbour', 'lantern']), kind: 'constraint' })
    for (const one of THINGS.slice(1)) await agent.call('memory_write', { ...about(one) })
    for (const source of ['startup', 'compact', 'resume', 'clear']) {
      const briefing = await start(house, { source })
      expect(namesIn(briefing)).toContain('harbour-lantern')
      expect((await ask(house, HARBOUR)).context).toBe('')
    }
  })

  test.each(['compact', 'resume', 'clear', 'startup'])('is told again after %s', async (source) => {
    await using house = await openHouse(UNTOLD)
    await library(house)
    await start(house)
    expect(namesIn(await ask(house, HARBOUR))).toEqual(['harbour-lantern'])
    await start(house, { source })
    expect(namesIn(await ask(house, HARBOUR))).toEqual(['harbour-lantern'])
    // What owns its session as an agent of a kind begins anew too, whoever that is.
    await start(house, { source, agent_type: 'reviewer' })
    expect(namesIn(await ask(house, HARBOUR))).toEqual(['harbour-lantern'])
  })

  test('is told again when it says something else, and not for a star or a tag', async () => {
    await using house = await openHouse(UNTOLD)
    const agent = await library(house)
    await start(house)
    await ask(house, HARBOUR)
    const name = 'harbour-lantern'
    await agent.call('favorite_set', { kind: 'memory', id: name, favorite: true })
    await agent.call('memory_edit', { name, tags_add: ['sea'] })
    expect((await ask(house, HARBOUR)).context).toBe('')
    await agent.call('memory_append', { name, body: 'and once more' })
    expect(namesIn(await ask(house, HARBOUR))).toEqual([name])
    expect((await ask(house, HARBOUR)).context).toBe('')
    await agent.call('memory_write', { ...about(['harbour', 'lantern'], '-two'), supersedes: name })
    expect(namesIn(await ask(house, HARBOUR))).toEqual([`${name}-two`])
  })

  test('that its agent asked for is not told by a prompt, and recall itself is never thinned', async () => {
    await using house = await openHouse(UNTOLD)
    await library(house)
    await start(house)
    const { name: session } = (await house.events('session.started')).length
      ? await house.app.kernel.db
          .selectFrom('sessions')
          .select('name')
          .where('client_session_id', '=', EXTERNAL)
          .executeTakeFirstOrThrow()
      : { name: '' }
    const agent = await house.connect()
    await agent.call('memory_read', { name: 'harbour-lantern', project: 'orders', session })
    expect((await ask(house, HARBOUR)).context).toBe('')
    for (let i = 0; i < 2; i++) {
      const { hits } = await agent.call('recall', { query: 'tide cache', session })
      expect(hits[0].name).toBe('tide-cache')
    }
    expect((await ask(house, 'what does the tide cache do')).context).toBe('')
  })

  test('is told by a prompt when the part was refused that its agent asked for', async () => {
    await using house = await openHouse(UNTOLD)
    await library(house)
    await start(house)
    const agent = await house.connect()
    const { name: session } = await house.app.kernel.db
      .selectFrom('sessions')
      .select('name')
      .where('client_session_id', '=', EXTERNAL)
      .executeTakeFirstOrThrow()
    const read = { name: 'harbour-lantern', project: 'orders', session }
    await expect(agent.call('memory_read', { ...read, offset: 999 })).rejects.toThrow(
      'past the end',
    )
    expect(namesIn(await ask(house, HARBOUR))).toEqual(['harbour-lantern'])
  })

  test('that its agent asked for is kept where hooks might tell it again, and nowhere else', async () => {
    await using house = await openHouse(UNTOLD)
    const alone = await library(house)
    const { db } = house.app.kernel
    const kept = async () =>
      (await db.selectFrom('told').select('item').execute()).map(({ item }) => item)
    const { id } = await alone.call('memory_read', { name: 'tide-cache' })
    await alone.call('recall', { query: 'tide cache' })
    expect(await kept()).toEqual([])
    await start(house)
    const { name: session } = await db
      .selectFrom('sessions')
      .select('name')
      .where('client_session_id', '=', EXTERNAL)
      .executeTakeFirstOrThrow()
    await db.deleteFrom('told').execute()
    const agent = await house.connect()
    await agent.call('memory_read', { name: 'tide-cache', project: 'orders', session })
    expect(await kept()).toEqual([id])
  })

  test('that a plan brought along is not told by a prompt, nor the other way round', async () => {
    await using house = await openHouse(UNTOLD)
    await library(house)
    await start(house)
    const save = (what: string) =>
      callHook(house, 'post-tool-use', {
        session_id: EXTERNAL,
        cwd: START['cwd'],
        tool_name: 'Write',
        tool_input: {
          file_path: `/home/ana/.claude/plans/${what.replaceAll(' ', '-')}.md`,
          content: `# Mend the ${what}`,
        },
      })
    expect((await save('harbour lantern')).context).toContain('harbour-lantern')
    expect((await ask(house, HARBOUR)).context).toBe('')
    expect(namesIn(await ask(house, 'tell me of the tide cache'))).toEqual(['tide-cache'])
    expect((await save('tide cache')).context).not.toContain('name=tide-cache')
  })

  test('is told by one of many prompts at once', async () => {
    await using house = await openHouse(UNTOLD)
    await library(house)
    await start(house)
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(house, HARBOUR)))
    expect(answers.flatMap(namesIn)).toEqual(['harbour-lantern'])
    const spawned = await Promise.all(Array.from({ length: 4 }, () => spawn(house, HARBOUR)))
    expect(spawned.flatMap(namesIn)).toEqual(['harbour-lantern'])
  })
})

test('what comes too late was not told', async () => {
  await using house = await openHouse({ ...UNTOLD, deadlineFactor: 0.25 })
  await library(house)
  await start(house)
  await house.app.kernel.db.transaction().execute(async (db) => {
    await sql`lock table told in exclusive mode`.execute(db)
    const { body, context } = await ask(house, HARBOUR)
    expect({ context, says: body.systemMessage }).toEqual({
      context: '',
      says: 'Loam user-prompt-submit: no answer within 0.5 s',
    })
  })
  await expect
    .poll(async () => namesIn(await ask(house, HARBOUR)), { timeout: 60_000, interval: 50 })
    .toEqual(['harbour-lantern'])
})

describe('a subagent', () => {
  test('has a ledger of its own, and every rule each time', async () => {
    await using house = await openHouse(UNTOLD)
    const agent = await library(house)
    await agent.call('memory_write', { ...about(['anchor', 'chain']), kind: 'constraint' })
    await start(house)
    await ask(house, HARBOUR)
    expect(namesIn(await spawn(house, HARBOUR))).toEqual(['anchor-chain', 'harbour-lantern'])
    expect(namesIn(await spawn(house, HARBOUR))).toEqual(['anchor-chain'])
    expect(namesIn(await spawn(house, HARBOUR, 'a2'))).toEqual(['anchor-chain', 'harbour-lantern'])
    // It goes on while the context of its parent is compacted; a cleared session has new ones.
    await start(house, { source: 'compact' })
    expect(namesIn(await spawn(house, HARBOUR))).toEqual(['anchor-chain'])
    await start(house, { source: 'clear' })
    expect(namesIn(await spawn(house, HARBOUR))).toEqual(['anchor-chain', 'harbour-lantern'])
  })

  test('that a client gives a prompt of its own hears for itself, and not for its parent', async () => {
    await using house = await openHouse(UNTOLD)
    await library(house)
    await start(house)
    const own = { ...PROMPT, session_id: EXTERNAL, agent_id: 'a1', prompt: HARBOUR }
    expect(namesIn(await callHook(house, 'user-prompt-submit', own))).toEqual(['harbour-lantern'])
    expect(namesIn(await ask(house, HARBOUR))).toEqual(['harbour-lantern'])
  })

  test('is told later what its client cut away', async () => {
    await using house = await openHouse({
      env: { LOAM_BUDGETS_MAX_BRIEFING_TOKENS: '20000', LOAM_BRIEFING_CONSTRAINT_MAX_FULL: '0' },
    })
    const agent = await library(house)
    for (let i = 0; i < 70; i++) {
      const description = `Rule ${i} ${'of conduct '.repeat(12)}`
      await agent.call('memory_write', {
        name: `rule-${i}`,
        kind: 'constraint',
        description,
        body: 'x',
      })
    }
    await start(house)
    const { context = '' } = await spawn(house, HARBOUR)
    expect(context).toContain('rule-')
    expect(context).not.toContain('harbour-lantern')
    const rows = await house.app.kernel.db.selectFrom('told').select('item').execute()
    const { id } = await agent.call('memory_read', { name: 'harbour-lantern' })
    expect(rows.map(({ item }) => item)).not.toContain(id)
    // Nor is a briefing that was cut a reason to hold back what fell away.
    expect(namesIn(await ask(house, HARBOUR))).toEqual(['harbour-lantern'])
  })
})

describe('the ledger', () => {
  const rows = async (house: House): Promise<number> => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from told`.execute(
      house.app.kernel.db,
    )
    return rows[0]!.n
  }

  test('ends with the session of its client, and after a long time', async () => {
    await using house = await openHouse(UNTOLD)
    const agent = await library(house)
    const { db } = house.app.kernel
    const own = await rows(house)
    await start(house)
    await ask(house, HARBOUR)
    await spawn(house, HARBOUR)
    expect(await rows(house)).toBeGreaterThan(own)
    await callHook(house, 'session-end', { session_id: EXTERNAL, reason: 'exit' })
    expect(await rows(house)).toBe(own)

    await start(house)
    await agent.call('memory_read', { name: 'harbour-lantern' })
    await sql`update told set at = at - interval '31 days'`.execute(db)
    await ask(house, HARBOUR)
    await forgetLongTold(house.app.kernel)
    expect(await rows(house)).toBe(1)
  })

  test('stays when an agent ends its session by itself, for its context goes on', async () => {
    await using house = await openHouse(UNTOLD)
    await library(house)
    await start(house)
    await ask(house, HARBOUR)
    const agent = await house.connect()
    const { name } = await house.app.kernel.db
      .selectFrom('sessions')
      .select('name')
      .where('client_session_id', '=', EXTERNAL)
      .executeTakeFirstOrThrow()
    await agent.call('session_end', { session: name, findings: 'done' })
    expect((await ask(house, HARBOUR)).context).toBe('')
  })

  test('counts what was saved, in the log and for who may read the project', async () => {
    await using house = await openHouse(UNTOLD)
    const agent = await library(house)
    await start(house)
    const [line = ''] = /^- .*$/m.exec((await ask(house, HARBOUR)).context ?? '') ?? []
    await ask(house, HARBOUR)
    await ask(house, 'harbour lantern and tide cache')
    const tokens = Math.ceil(Buffer.byteLength(line) / 4)
    const kept = { held_item_count: 1, saved_estimated_tokens: tokens }
    const [silent] = await house.events('hook.prompt')
    expect(silent!.payload).toMatchObject({ matched: true, ...kept })
    const told = (await house.events('retrieval.injected')).filter(
      ({ payload }) => payload['hook'] === 'user-prompt-submit',
    )
    expect(told.map(({ payload }) => payload['held_item_count'])).toEqual([undefined, 1])
    const usage = (await agent.call('usage_summary', {})) as { retrieval: object }
    expect(usage.retrieval).toMatchObject({ held: 2, savedTokens: 2 * tokens })
    const sealed = await house.inside('crypt', 'sealed')
    const other = (await sealed.call('usage_summary', {})) as { retrieval: object }
    expect(other.retrieval).toMatchObject({ held: 0, savedTokens: 0 })
  })
})

type Step =
  | { do: 'ask'; thing: number; other: number; times: number }
  | { do: 'recall' | 'read' | 'change' | 'supersede'; thing: number }
  | { do: 'spawn'; thing: number; agent: string }
  | { do: 'begin'; source: string }
  | { do: 'end' }

const thing = fc.nat(THINGS.length - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      thing,
      other: thing,
      times: fc.constantFrom(1, 1, 1, 2, 3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'recall' as const,
        'read' as const,
        'change' as const,
        'supersede' as const,
      ),
      thing,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('spawn' as const),
      thing,
      agent: fc.constantFrom('a1', 'a2'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('begin' as const),
      source: fc.constantFrom('startup', 'resume', 'clear', 'compact'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'end' as const }) },
)

test(`in ${WHOLE ? 100 : 8} random sessions no memory is told twice between compactions`, async () => {
  await using house = await openHouse(UNTOLD)
  const agent = await library(house)
  const names: string[] = THINGS.map((one) => one.join('-'))
  const said = new Map<string, number>()
  let [number, tellings] = [0, 0]

  async function session(steps: readonly Step[]): Promise<void> {
    const session_id = `random-${++number}`
    /** What each context was told, with its version then. */
    const contexts = new Map<string, Map<string, number>>()
    const hear = (whose: string, told: readonly string[], injected: boolean): void => {
      const known = contexts.get(whose) ?? new Map<string, number>()
      contexts.set(whose, known)
      for (const name of told) {
        const version = said.get(name) ?? 0
        if (injected) {
          tellings++
          expect({ name, told: known.get(name) }).not.toEqual({ name, told: version })
        }
        known.set(name, version)
      }
    }
    const begin = async (source: string): Promise<void> => {
      if (source === 'compact') contexts.delete('')
      else contexts.clear()
      hear('', namesIn(await start(house, { source, session_id })), false)
    }
    const handle = async (): Promise<string> => {
      const { id } = await house.app.kernel.db
        .selectFrom('sessions')
        .select('id')
        .where('client_session_id', '=', session_id)
        .executeTakeFirstOrThrow()
      return id
    }
    await begin('startup')
    let ended = false
    for (const one of steps) {
      if (ended && ['recall', 'read'].includes(one.do)) continue
      switch (one.do) {
        case 'ask': {
          const words = [THINGS[one.thing]!, THINGS[one.other]!].map((pair) => pair.join(' '))
          const answers = await Promise.all(
            Array.from({ length: one.times }, () =>
              ask(house, words.join(' and the '), session_id),
            ),
          )
          hear('', answers.flatMap(namesIn), true)
          break
        }
        case 'spawn': {
          const payload = { ...SPAWN, session_id, agent_id: one.agent }
          const spawn_prompt = `look at the ${THINGS[one.thing]!.join(' ')}`
          const answer = await callHook(house, 'subagent-start', { ...payload, spawn_prompt })
          hear(one.agent, namesIn(answer), true)
          break
        }
        case 'recall': {
          const query = THINGS[one.thing]!.join(' ')
          const { hits } = (await agent.call('recall', { query })) as { hits: { name: string }[] }
          // The connection is bound to another session: that one's ledger is not this one's.
          const other = await house.connect()
          const found = await other.call('recall', { query, session: await handle() })
          expect(found['hits']).toHaveLength(hits.length)
          hear(
            '',
            (found['hits'] as { name: string }[]).map(({ name }) => name),
            false,
          )
          break
        }
        case 'read': {
          const other = await house.connect()
          await other.call('memory_read', { name: names[one.thing]!, session: await handle() })
          hear('', [names[one.thing]!], false)
          break
        }
        case 'change': {
          const name = names[one.thing]!
          await agent.call('memory_append', { name, body: `change ${said.get(name) ?? 0}` })
          said.set(name, (said.get(name) ?? 0) + 1)
          break
        }
        case 'supersede': {
          const old = names[one.thing]!
          const pair = THINGS[one.thing]!
          const name = `${pair.join('-')}-${number}-${said.size}-${tellings}`
          await agent.call('memory_write', { ...about(pair), name, supersedes: old })
          names[one.thing] = name
          said.set(name, 1)
          break
        }
        case 'begin':
          await begin(one.source)
          ended = false
          break
        case 'end':
          await callHook(house, 'session-end', { session_id })
          contexts.clear()
          ended = true
      }
    }
  }

  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40 }), session), {
    numRuns: WHOLE ? 100 : 8,
    seed: SEED,
    endOnFailure: true,
  })
  expect(tellings).toBeGreaterThan(20)
}, 600_000)
