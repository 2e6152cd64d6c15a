import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, afterAll, describe, expect, test } from 'vitest'
import { rebuildDemand } from '../../src/demand/demand.ts'
import { defineEvent } from '../../src/kernel/event-kind.ts'
import { record } from '../helpers/record.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { bareKernel } from '../helpers/kernel.ts'
import Type from 'typebox'

const database = await openTestDatabase()
const { db } = database
const kernel: Kernel = bareKernel(database)
afterAll(() => database.close())

const Anything = Type.Record(Type.String(), Type.Unknown())
const memoryRead = defineEvent('memory.read', Anything, () => '')
const noteRead = defineEvent('note.read', Anything, () => '')
const injected = defineEvent('retrieval.injected', Anything, () => '')

beforeEach(async () => {
  await sql`
    truncate events, event_items, item_stats, item_credits, item_uses, demand_starts, passages`.execute(
    db,
  )
  await sql`update clock set shift = '0'`.execute(db)
  for (const [kind, id] of [
    ['memory', 'M1'],
    ['memory', 'M2'],
    ['note', 'N1'],
  ]) {
    await sql`
      insert into passages (kind, id, chunk, project, active, place, size, length, normaliser, hash, words)
      values (${kind}, ${id}, 0, 0, true, 0, 0, 0, 1, '', '')`.execute(db)
  }
})

/** As of a day of the test's own, so that no second that passes is seen in the numbers. */
const at = (days: number): Promise<unknown> =>
  sql`update clock set shift = ${`${days} days`}::interval`.execute(db)

const read = (item: string, session = ''): Promise<string> =>
  record(kernel, item.startsWith('N') ? noteRead : memoryRead, {
    by: { session, model: '' },
    project: 'atlas',
    item,
    payload: {},
  })

const inject = (item_ids: string[], payload: object, session = ''): Promise<string> =>
  record(kernel, injected, {
    by: { session, model: '' },
    project: 'atlas',
    item: null,
    payload: { item_ids, ...payload },
  })

interface Stats {
  kind: string
  id: string
  inject_count: number
  read_count: number
  read_raw: number
  recall_raw: number
  prompt_raw: number
  utility: number
}

async function stats(): Promise<Stats[]> {
  const { rows } = await sql<Stats>`
    select kind, id, inject_count, read_count, read_raw, recall_raw, prompt_raw, utility(s) as utility
    from item_stats s order by kind, id`.execute(db)
  return rows
}

const of = async (id: string): Promise<Stats> => (await stats()).find((one) => one.id === id)!

describe('demand', () => {
  test.each([
    ['a read', () => read('M1'), { read_raw: 3, read_count: 1, inject_count: 0 }],
    ['a read of a note', () => read('N1'), { read_raw: 3, read_count: 1 }],
    ['a hit of recall', () => inject(['M1'], { source: 'recall' }), { recall_raw: 1.5 }],
    [
      'a match of a prompt',
      () => inject(['M1'], { hook: 'user-prompt-submit' }),
      { prompt_raw: 1, inject_count: 1 },
    ],
  ])('weighs %s', async (_what, happen, expected) => {
    await happen()
    const [row] = await stats()
    expect(row).toMatchObject(expected)
    const raw = row!.read_raw + row!.recall_raw + row!.prompt_raw
    expect(row!.utility).toBeCloseTo(raw / (raw + 4), 6)
  })

  test.each([
    [{ source: 'recall-browse' }],
    [{ source: 'recall-explain' }],
    [{ hook: 'session-start' }],
    [{ hook: 'subagent-start' }],
    [{ hook: 'post-tool-use' }],
    [{}],
  ])('counts %j as exposure, which is never demand', async (payload) => {
    await inject(['M1', 'M2'], payload)
    expect(await stats()).toMatchObject([
      { id: 'M1', inject_count: 1, utility: 0 },
      { id: 'M2', inject_count: 1, utility: 0 },
    ])
    const { rows } = await sql`select * from demand_starts`.execute(db)
    expect(rows).toEqual([])
  })

  test('credits an item once in a session for each way of asking, the first time', async () => {
    await read('M1', 'S1')
    await at(14)
    await read('M1', 'S1')
    await inject(['M1'], { source: 'recall' }, 'S1')
    await inject(['M1'], { source: 'recall' }, 'S1')
    const one = await of('M1')
    expect(one).toMatchObject({ read_count: 2, inject_count: 2 })
    expect(one.read_raw).toBeCloseTo(1.5, 4)
    expect(one.recall_raw).toBeCloseTo(1.5, 4)
    await read('M1', 'S2')
    expect((await of('M1')).read_raw).toBeCloseTo(4.5, 4)
  })

  test('knows a client without a session by its own name for it', async () => {
    const told = { source: 'recall', external_client: 'codex', claude_session_id: 'a' }
    await inject(['M1'], told)
    await inject(['M1'], told)
    await inject(['M1'], { ...told, external_client: 'claude-code' })
    await inject(['M1'], { source: 'recall' })
    await inject(['M1'], { source: 'recall' })
    expect((await of('M1')).recall_raw).toBeCloseTo(6, 4)
  })

  test('halves in 14 days, and an item nobody asked for has none', async () => {
    await read('M1')
    await at(14)
    expect((await of('M1')).utility).toBeCloseTo(1.5 / 5.5, 4)
    await at(28)
    expect((await of('M1')).utility).toBeCloseTo(0.75 / 4.75, 4)
    const { rows } = await sql<{ none: number }>`
      select utility(s) as none from (values (1)) one left join item_stats s on false`.execute(db)
    expect(rows[0]?.none).toBe(0)
  })

  test('names the items of an event, the one it is about and those it surfaced', async () => {
    const reading = await read('M1')
    const surfacing = await inject(['N1', 'M2', 'GONE'], { source: 'recall' })
    const { rows } = await sql`
      select event_id, item_kind, item_id, class, transport from event_items order by ts, item_id`.execute(
      db,
    )
    const item = { class: 'recall', event_id: surfacing, transport: false }
    expect(rows).toEqual(
      expect.arrayContaining([
        { event_id: reading, item_kind: 'memory', item_id: 'M1', class: 'read', transport: false },
        { ...item, item_kind: 'memory', item_id: 'M2' },
        { ...item, item_kind: 'note', item_id: 'N1' },
        { ...item, item_kind: '', item_id: 'GONE' },
      ]),
    )
  })

  test('is told once when the same event is recorded twice', async () => {
    const draft = { by: { session: '', model: '' }, project: '', item: 'M1', payload: {}, id: 'E1' }
    await record(kernel, memoryRead, draft)
    await record(kernel, memoryRead, draft)
    expect(await of('M1')).toMatchObject({ read_count: 1, read_raw: 3 })
  })

  test.each([
    [{}],
    [{ item_ids: 'M1' }],
    [{ item_ids: [1, null, { a: 1 }] }],
    [{ item_ids: null }],
  ])('lets an event of odd shape pass: %j', async (payload) => {
    await record(kernel, injected, {
      by: { session: '', model: '' },
      project: '',
      item: null,
      payload: { source: 'recall', ...payload },
    })
    expect(await stats()).toEqual([])
  })

  test('comes to the same numbers when it is counted anew, whatever happened', async () => {
    const ITEMS = ['M1', 'M2', 'N1']
    const act = fc.record({
      days: fc.integer({ min: 0, max: 60 }),
      what: fc.constantFrom('read', 'recall', 'prompt', 'shown'),
      items: fc.subarray(ITEMS, { minLength: 1 }),
      session: fc.constantFrom('', 'S1', 'S2'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
        await sql`truncate events, event_items, item_stats, item_credits, item_uses, demand_starts`.execute(
          db,
        )
        for (const { days, what, items, session } of acts.toSorted((a, b) => a.days - b.days)) {
          await at(days)
          if (what === 'read') await read(items[0]!, session)
          else if (what === 'prompt') await inject(items, { hook: 'user-prompt-submit' }, session)
          else await inject(items, { source: what }, session)
        }
        await at(61)
        const counted = await stats()
        await rebuildDemand(kernel)
        const anew = await stats()
        expect(anew.map(exact)).toEqual(counted.map(exact))
        for (const [i, one] of anew.entries()) {
          for (const raw of ['read_raw', 'recall_raw', 'prompt_raw', 'utility'] as const) {
            expect(one[raw]).toBeCloseTo(counted[i]![raw], 6)
          }
        }
      }),
      { numRuns: 25 },
    )
  })
})

const exact = ({ kind, id, inject_count, read_count }: Stats): unknown => [
  kind,
  id,
  inject_count,
  read_count,
]
