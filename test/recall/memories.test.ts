import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

interface Hit {
  id: string
  kind: string
  name: string
  source: string
  score: number
  status?: string
  favorite?: true
  explain?: {
    words?: { rank: number; score: number; matched: string[] }
    boosts?: { star?: number; utility?: number }
  }
}

const write = (agent: Agent, name: string, over: object = {}) =>
  agent.call('memory_write', {
    name,
    kind: 'gotcha',
    description: `about ${name}`,
    body: 'Nothing more.',
    project: 'atlas',
    ...over,
  })

async function ask(agent: Agent, question: object): Promise<Hit[]> {
  const { hits } = await agent.call('recall', { project: 'atlas', explain: true, ...question })
  return hits as Hit[]
}
const letters = (number: number): string =>
  number.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!)
const names = (hits: readonly Hit[]): string[] => hits.map(({ name }) => name)

const star = (house: House, id: string) =>
  sql`update memories set favorite = true where id = ${id}`.execute(house.app.kernel.db)

describe('recall of memories', () => {
  test('finds one by its name, its description and its body', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await write(agent, 'csv-last-row', { description: 'The import drops it', body: 'Papaparse.' })
    for (const query of ['csv row', 'import drops', 'papaparse']) {
      expect(await ask(agent, { query })).toMatchObject([
        { kind: 'memory', name: 'csv-last-row', source: 'fts' },
      ])
    }
  })

  test('of one kind looks at no other, however many answer better', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    for (let i = 0; i < 8; i++) await write(agent, `sextant-${i}`, { body: 'sextant '.repeat(9) })
    await write(agent, 'keep-the-sextant-dry', { kind: 'constraint' })
    const { hits } = await agent.call('recall', {
      query: 'sextant',
      kind: 'constraint',
      project: 'atlas',
      limit: 1,
    })
    expect(names(hits as Hit[])).toEqual(['keep-the-sextant-dry'])
    await agent.call('notes_create', { title: 'Sextant', body: 'sextant', project: 'atlas' })
    const kinds = await ask(agent, { query: 'sextant', kind: 'gotcha', scope: 'memories' })
    expect(new Set(kinds.map(({ kind }) => kind))).toEqual(new Set(['memory']))
  })

  test('of one kind without a question lists the ones changed last first, unranked', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    for (const name of ['first', 'second', 'third']) await write(agent, name)
    await write(agent, 'rule', { kind: 'constraint' })
    await write(agent, 'everywhere', { project: 'global' })
    await agent.call('memory_append', { name: 'first', body: 'More.' })
    const listed = await agent.call('recall', { kind: 'gotcha', limit: 3 })
    expect(listed).toMatchObject({
      hits: [
        { name: 'first', source: 'browse', score: 0 },
        { name: 'everywhere', source: 'browse', score: 0 },
        { name: 'third', source: 'browse', score: 0 },
      ],
    })
    expect(await agent.call('recall', { kind: 'runbook' })).toEqual({ hits: [], evidence: 'none' })

    expect(await house.events('retrieval.injected')).toMatchObject([
      { payload: { source: 'recall-browse', query: '' } },
    ])
    expect(await house.events('recall.miss')).toEqual([])
  })

  test('of one kind without a question says when there are more than it lists', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const description = 'What the sextant needs on board, as far as anybody knows. '.repeat(3)
    for (let n = 0; n < 16; n++) await write(agent, `rule-${n}`, { description })
    const more = expect.stringMatching(/^there are more of this kind, .*with a query$/)

    expect(await agent.call('recall', { kind: 'gotcha', limit: 2 })).toMatchObject({
      hits: [{ name: 'rule-15' }, { name: 'rule-14' }],
      incomplete: more,
    })
    const { content, structuredContent: cut } = await agent.raw('recall', {
      ...{ kind: 'gotcha', limit: 100 },
    })
    expect(cut).toMatchObject({ incomplete: more })
    expect(Buffer.byteLength((content[0] as { text: string }).text)).toBeLessThanOrEqual(4_000)

    for (let n = 2; n < 16; n++) await agent.call('memory_delete', { name: `rule-${n}` })
    expect(await agent.call('recall', { kind: 'gotcha', limit: 2 })).not.toHaveProperty(
      'incomplete',
    )
  })

  test('passes over what is superseded or archived', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await write(agent, 'sextant-brass')
    await write(agent, 'sextant-steel', { supersedes: 'sextant-brass' })
    expect(names(await ask(agent, { query: 'sextant' }))).toEqual(['sextant-steel'])
    expect(names(await ask(agent, { kind: 'gotcha' }))).toEqual(['sextant-steel'])
  })

  test('follows the links of the best hits to memories that did not answer themselves', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await write(agent, 'depot')
    await write(agent, 'lantern', { project: 'global' })
    await write(agent, 'retired')
    await write(agent, 'newer', { supersedes: 'retired' })
    await write(agent, 'elsewhere', { project: 'ledger' })
    await write(agent, 'sextant-storage', {
      body: 'See [[depot]], [[lantern|the lamp]], [[retired]], [[ledger/elsewhere]], [[nobody]].',
    })
    const hits = await ask(agent, { query: 'sextant' })
    expect(hits).toMatchObject([
      { name: 'sextant-storage', source: 'fts' },
      { name: 'depot', source: 'link' },
      { name: 'lantern', source: 'link' },
    ])
    expect(hits.map(({ score }) => score)).toEqual(
      hits.map(({ score }) => score).toSorted((a, b) => b - a),
    )
    expect(names(await ask(agent, { query: 'sextant', kind: 'gotcha' }))).toEqual([
      'sextant-storage',
    ])
    // What answers by itself gains nothing by a link.
    const both = await ask(agent, { query: 'sextant depot' })
    expect(both.find(({ name }) => name === 'depot')).toMatchObject({ source: 'fts' })
  })

  test('a sealed project follows no link out of it', async () => {
    await using house = await openHouse()
    const outside = await house.connect()
    await write(outside, 'lantern', { project: 'global' })
    const agent = await house.inside('vaulted', 'sealed')
    await write(agent, 'sextant', { project: 'vaulted', body: 'See [[lantern]].' })
    expect(names(await ask(agent, { query: 'sextant', project: 'vaulted' }))).toEqual(['sextant'])
  })

  test('raises a starred item by 15 %, and one that is used by less than 2 %', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const one = await write(agent, 'sextant-one')
    const two = await write(agent, 'sextant-two')
    const three = await write(agent, 'sextant-three')
    const plain = (await ask(agent, { query: 'sextant' }))[0]!.score

    for (let i = 0; i < 40; i++) {
      const user = await house.inside('atlas')
      await user.call('recall', { query: 'sextant' })
      await user.call('memory_read', { id: two.id })
      await house.app.kernel.telemetry.flush()
    }
    await star(house, three.id)
    const hits = await ask(agent, { query: 'sextant' })
    expect(hits.map(({ id }) => id)).toEqual([three.id, two.id, one.id])
    expect(hits[0]).toMatchObject({ favorite: true, explain: { boosts: { star: 1.15 } } })
    expect(hits[0]!.score).toBeCloseTo(plain * 1.15, 4)
    const { utility = 0 } = hits[1]!.explain!.boosts!
    expect(utility).toBeGreaterThan(1.018)
    expect(utility).toBeLessThan(1.02)
    expect(hits[1]!.score).toBeCloseTo(plain * utility, 3)
    expect(hits[2]!.explain!.boosts).toBeUndefined()
    expect(hits[2]!.score).toBeCloseTo(plain, 4)
  })

  test('demand lets nothing in that did not answer', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const { id } = await write(agent, 'lantern')
    await agent.call('memory_read', { id })
    expect(await ask(agent, { query: 'sextant' })).toEqual([])
  })
})

describe('recall of work', () => {
  test('finds findings of sessions and tasks, with how they stand', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('session_start', { name: 'tide-watch', project: 'atlas' })
    await agent.call('session_end', { findings: 'The sextant drifts when the bell is struck.' })
    const [hit] = await ask(agent, { query: 'does the bell matter', scope: 'sessions' })
    expect(hit).toMatchObject({ kind: 'session', name: 'tide-watch', status: 'completed' })
  })
})

describe('recall explains', () => {
  test('each hit by its places, its words and its boosts', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await write(agent, 'tide-cache-eviction', { body: 'tideCache evicts by age.' })
    await write(agent, 'tide-table')
    const hits = await ask(agent, { query: 'why are tideCache entries evicted?' })
    expect(hits[0]).toMatchObject({
      name: 'tide-cache-eviction',
      explain: { words: { rank: 1, score: expect.any(Number) } },
    })
    expect(hits[0]!.explain!.words!.matched.toSorted()).toEqual(['evicted', 'tideCache'])
    const plain = await agent.call('recall', { query: 'tide', project: 'atlas' })
    expect(plain).not.toHaveProperty('near_misses')
    expect((plain.hits as Hit[])[0]).not.toHaveProperty('explain')
  })

  test('by the words that were searched, looked at once however many hits there are', async () => {
    await using house = await openHouse({ env: { LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '9000' } })
    const agent = await house.connect()
    for (let i = 0; i < 100; i++) await write(agent, `sextant-${i}`)
    const rest = Array.from({ length: 4_900 }, (_, i) => letters(i)).join(' ')
    /** Milliseconds that this thread worked. */
    const costs = async (question: object): Promise<number> => {
      const began = process.threadCpuUsage().user
      const hits = await ask(agent, { query: `my Sextants, ${rest}`, limit: 100, ...question })
      expect(hits.length).toBeGreaterThan(90)
      if (question !== PLAIN) {
        for (const { explain } of hits) expect(explain?.words?.matched).toEqual(['Sextants'])
      }
      return (process.threadCpuUsage().user - began) / 1_000
    }
    const PLAIN = { explain: false }
    const plain = await costs(PLAIN)
    // Looked at anew for each hit the words take a second and more.
    expect(await costs({ explain: true })).toBeLessThan(2 * plain + 200)
  })

  test('what was found and not shown, ten at most, of the scope alone', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    for (let i = 0; i < 14; i++) await write(agent, `sextant-${i}`)
    await write(agent, 'sextant-elsewhere', { project: 'ledger' })
    const answer = await agent.call('recall', {
      query: 'sextant',
      project: 'atlas',
      limit: 2,
      explain: true,
    })
    const misses = answer.near_misses as { name: string; why: string }[]
    expect(misses).toHaveLength(10)
    expect(misses[0]).toMatchObject({ kind: 'memory', why: 'place 3, and 2 were asked for' })
    expect(JSON.stringify(answer)).not.toContain('elsewhere')
  })

  test('when the budget cut the answer', async () => {
    await using house = await openHouse({ env: { LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '10' } })
    const agent = await house.connect()
    for (const name of ['sextant-one', 'sextant-two']) await write(agent, name)
    const answer = await agent.call('recall', { query: 'sextant', project: 'atlas', explain: true })
    expect(answer.hits).toHaveLength(1)
    expect(answer.near_misses).toMatchObject([{ why: 'place 2, past the budget of tokens' }])
  })

  test('and counts nothing as demand', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await write(agent, 'sextant')
    await ask(agent, { query: 'sextant' })
    await ask(agent, { query: 'zeppelin' })
    expect(await house.events('retrieval.injected')).toMatchObject([
      { payload: { source: 'recall-explain' } },
    ])
    expect(await house.events('recall.miss')).toEqual([])
    const { rows } = await sql`select * from item_stats where utility(item_stats) > 0`.execute(
      house.app.kernel.db,
    )
    expect(rows).toEqual([])
  })
})

describe('recall as of a time', () => {
  test('answers with what was believed then', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const now = async (): Promise<string> => {
      const { rows } = await sql<{ now: Date }>`select loam_now() as now`.execute(
        house.app.kernel.db,
      )
      return rows[0]!.now.toISOString()
    }
    const before = await now()
    await house.moveClock('1 day')
    await write(agent, 'sextant-brass')
    const brass = await now()
    await house.moveClock('2 days')
    await write(agent, 'sextant-steel', { supersedes: 'sextant-brass', body: 'See [[depot]].' })
    const steel = await now()
    await house.moveClock('3 days')
    await write(agent, 'depot')
    await agent.call('notes_create', { title: 'Sextant study', body: 'x', project: 'atlas' })

    const then = async (as_of: string, over: object = {}): Promise<string[]> =>
      names(await ask(agent, { query: 'sextant', as_of, ...over })).sort()
    expect(await then(before)).toEqual([])
    expect(await then(brass)).toEqual(['sextant-brass'])
    expect(await then(steel)).toEqual(['sextant-steel'])
    expect(await then(await now())).toEqual(['depot', 'sextant-steel', 'sextant-study'])
    expect(await then(await now(), { query: '', kind: 'gotcha' })).toEqual([
      'depot',
      'sextant-steel',
    ])
    expect(await then(brass, { query: '', kind: 'gotcha' })).toEqual(['sextant-brass'])
    expect(await then(brass, { scope: 'notes' })).toEqual([])
  })

  test('stays within the fences of today', async () => {
    await using house = await openHouse()
    const agent = await house.inside('vaulted', 'sealed')
    await write(agent, 'sextant', { project: 'vaulted' })
    const outside = await house.connect()
    await outside.call('project_create', { name: 'Atlas' })
    const question = { query: 'sextant', as_of: '2099-01-01T00:00:00Z' }
    expect(await ask(agent, { ...question, project: 'vaulted' })).toHaveLength(1)
    expect(await ask(outside, question)).toEqual([])
    await expect(ask(outside, { ...question, project: 'vaulted' })).rejects.toThrow('sealed')
  })

  test.each([
    'yesterday',
    '2026-01-31',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-31T25:00:00Z',
    '2026-01-31T12:00:00',
    '1767225600',
  ])('refuses %j as a time', async (as_of) => {
    await using house = await openHouse()
    const agent = await house.connect()
    await expect(agent.call('recall', { query: 'x', as_of })).rejects.toThrow(
      'recall: as_of must be an RFC 3339 time with its zone, such as 2026-01-31T12:00:00Z',
    )
  })

  test.each(['2026-01-31T12:00:00Z', '2026-01-31t12:00:00.5+01:30', '2026-01-31 12:00:00z', ''])(
    'takes %j',
    async (as_of) => {
      await using house = await openHouse()
      const agent = await house.connect()
      expect(await agent.call('recall', { query: 'x', as_of })).toMatchObject({ hits: [] })
    },
  )
})
