import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepEventMonths } from '../../src/postgres/event-months.ts'
import { openEdge, type Edge } from '../helpers/edge.ts'

describe('the months of the transport events', () => {
  let edge: Edge
  beforeEach(async () => {
    edge = await openEdge()
  })
  afterEach(() => edge.close())

  const setClock = (time: string) =>
    sql`update clock set shift = ${time}::timestamptz - clock_timestamp()`.execute(edge.kernel.db)
  const insert = (id: string, ts: string, transport = true) =>
    sql`insert into events (id, ts, kind, transport) values (${id}, ${ts}, 'k', ${transport})`.execute(
      edge.kernel.db,
    )
  const parts = async (): Promise<Record<string, string[]>> => {
    const { rows } = await sql<{ part: string; ids: string[] }>`
      select tableoid::regclass::text as part, array_agg(id order by id) as ids
      from events group by 1`.execute(edge.kernel.db)
    return Object.fromEntries(rows.map(({ part, ids }) => [part, ids]))
  }
  const tables = async (): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relkind = 'r' and relname ~ '_transport_\\d' order by 1`.execute(edge.kernel.db)
    return rows.map(({ name }) => name)
  }

  test('are made ahead, across the end of a year, once', async () => {
    await setClock('2026-11-21T12:00:00Z')
    await keepEventMonths(edge.kernel)
    const made = await tables()
    expect(made).toEqual([
      'event_items_transport_2026_11',
      'event_items_transport_2026_12',
      'event_items_transport_2027_01',
      'events_transport_2026_11',
      'events_transport_2026_12',
      'events_transport_2027_01',
    ])
    await Promise.all([keepEventMonths(edge.kernel), keepEventMonths(edge.kernel)])
    expect(await tables()).toEqual(made)
  })

  test('take along what fell into the default partition, and nothing else', async () => {
    await setClock('2026-11-21T12:00:00Z')
    await insert('a', '2026-11-01T00:00:00Z')
    await insert('b', '2026-11-30T23:59:59.999Z')
    await insert('c', '2027-03-01T00:00:00Z')
    await insert('d', '2026-11-20T00:00:00Z', false)
    await keepEventMonths(edge.kernel)
    expect(await parts()).toEqual({
      events_transport_2026_11: ['a', 'b'],
      events_transport_default: ['c'],
      events_acts: ['d'],
    })
    await insert('e', '2026-12-01T00:00:00Z')
    expect((await parts())['events_transport_2026_12']).toEqual(['e'])
  })

  test('refuse no row that comes while one of them is made', async () => {
    const { database } = edge
    // The embedded database does one transaction after the other: nothing comes meanwhile.
    if (database.kind === 'embedded') return
    await setClock('2026-11-21T12:00:00Z')
    const waiting = async (many: number): Promise<void> => {
      for (;;) {
        const { rows } = await sql<{ n: number }>`
          select count(distinct pid)::int as n from pg_locks
          where not granted and database = (select oid from pg_database where datname = current_database())`.execute(
          edge.kernel.db,
        )
        if (rows[0]!.n >= many) return
      }
    }
    let [making, coming]: Promise<unknown>[] = []
    await database.db.transaction().execute(async (db) => {
      await sql`
        insert into events (id, ts, kind, transport)
        values ('a', '2026-11-02T00:00:00Z', 'k', true)`.execute(db)
      making = keepEventMonths(edge.kernel)
      await waiting(1)
      coming = insert('b', '2026-11-03T00:00:00Z')
      await waiting(2)
    })
    await coming
    // On a very slow machine it may have given up waiting, and is tried again.
    await making!.catch(() => {})
    await keepEventMonths(edge.kernel)
    expect((await parts())['events_transport_2026_11']).toEqual(['a', 'b'])
  })

  test('are dropped whole once all of a month is past its retention; acts stay', async () => {
    await setClock('2026-09-10T00:00:00Z')
    await insert('old', '2026-09-30T23:00:00Z')
    await insert('stray', '2026-02-01T00:00:00Z')
    await insert('act', '2026-02-01T00:00:00Z', false)
    await keepEventMonths(edge.kernel)

    await setClock('2026-10-30T00:00:00Z')
    await keepEventMonths(edge.kernel)
    expect(await parts()).toMatchObject({ events_transport_2026_09: ['old'] })

    await setClock('2026-10-31T00:00:01Z')
    await keepEventMonths(edge.kernel)
    expect(await parts()).toEqual({ events_acts: ['act'] })
    expect(await tables()).not.toContain('events_transport_2026_09')
  })
})
