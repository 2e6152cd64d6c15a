import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import Type from 'typebox'
import { rebuildDemand } from '../../src/demand/demand.ts'
import { defineEvent } from '../../src/kernel/event-kind.ts'
import { record } from '../helpers/record.ts'
import { tellStatistics } from '../../src/usage/usage.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { bareKernel } from '../helpers/kernel.ts'

const database = await openTestDatabase()
const { db } = database
const kernel: Kernel = bareKernel(database)
afterAll(() => database.close())

const Anything = Type.Record(Type.String(), Type.Unknown())
const memoryRead = defineEvent('memory.read', Anything, () => '')
const injected = defineEvent('retrieval.injected', Anything, () => '')

const PROJECTS = ['', 'atlas', 'delta'] as const
const ITEMS = ['M1', 'M2']

beforeEach(async () => {
  await sql`truncate passages, sessions cascade`.execute(db)
  for (const id of ITEMS) {
    await sql`
      insert into passages (kind, id, chunk, project, active, place, size, length, normaliser, hash, words)
      values ('memory', ${id}, 0, 0, true, 0, 0, 0, 1, '', '')`.execute(db)
  }
  for (const project of PROJECTS) {
    await sql`insert into sessions (id, name, project) values (${`S-${project}`}, ${`S-${project}`}, ${project})`.execute(
      db,
    )
  }
  await forget()
})

const forget = () =>
  sql`truncate events, event_items, item_stats, item_credits, item_uses, use_totals, demand_starts, log_counts`.execute(
    db,
  )

const at = (hours: number): Promise<unknown> =>
  sql`update clock set shift = ${`${hours} hours`}::interval`.execute(db)

interface Act {
  hours: number
  surface:
    'read' | 'recall' | 'recall-explain' | 'user-prompt-submit' | 'session-start' | 'subagent-start'
  items: string[]
  project: (typeof PROJECTS)[number]
}

async function happen({ hours, surface, items, project }: Act): Promise<void> {
  await at(hours)
  const by = { session: `S-${project}`, model: '' }
  if (surface === 'read') {
    // An item is read where it lies, whoever reads it.
    const [item = ''] = items
    await record(kernel, memoryRead, { by, project: 'far away', item, payload: {} })
    return
  }
  const how = surface.startsWith('recall') ? { source: surface } : { hook: surface }
  const payload = { item_ids: items, ...how }
  await record(kernel, injected, { by, project, item: null, payload })
}

interface Use {
  project: string
  id: string
  surface: string
  times: number
  pulled: boolean
  raw: number
}

async function uses(): Promise<Use[]> {
  const { rows } = await sql<Use>`
    select project, id, surface, times, pulled, raw * demand_left(loam_now() - as_of) as raw
    from item_uses order by project collate "C", id, surface`.execute(db)
  return rows
}

const withoutRaw = ({ project, id, surface, times, pulled }: Use): Omit<Use, 'raw'> => ({
  project,
  id,
  surface,
  times,
  pulled,
})

/** The same, from going through everything that happened, in order. */
function counted(acts: readonly Act[]): Omit<Use, 'raw'>[] {
  const told = acts.flatMap(({ items, surface, ...act }) =>
    (surface === 'read' ? items.slice(0, 1) : items).map((id) => ({ ...act, surface, id })),
  )
  const known = new Map<string, Omit<Use, 'raw'>>()
  for (const [i, { project, id, surface, hours }] of told.entries()) {
    if (surface === 'recall-explain') continue
    const key = JSON.stringify([project, id, surface])
    const use = known.get(key) ?? { project, id, surface, times: 0, pulled: false }
    const pushed = surface === 'session-start' || surface === 'subagent-start'
    const pull = told.slice(i + 1).find((later) => {
      const asked = later.surface === 'read' || later.surface === 'recall'
      return asked && later.id === id && later.project === project && later.hours - hours < 24
    })
    known.set(key, {
      ...use,
      times: use.times + 1,
      pulled: use.pulled || (pushed && pull !== undefined),
    })
  }
  const order = ({ project, id, surface }: Omit<Use, 'raw'>) => `${project} ${id} ${surface}`
  return [...known.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1))
}

describe('what items are used for', () => {
  test('is counted as it happens, and comes to the same when it is counted anew', async () => {
    const act = fc.record({
      hours: fc.integer({ min: 0, max: 90 }),
      surface: fc.constantFrom<Act['surface'][]>(
        'read',
        'recall',
        'recall-explain',
        'user-prompt-submit',
        'session-start',
        'subagent-start',
      ),
      items: fc.subarray(ITEMS, { minLength: 1 }),
      project: fc.constantFrom(...PROJECTS),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (unsorted) => {
        await forget()
        // A minute apart within an hour: what is told in the same moment has no order.
        const acts = unsorted
          .toSorted((a, b) => a.hours - b.hours)
          .map((one, minute) => ({ ...one, hours: one.hours + minute / 60 }))
        for (const one of acts) await happen(one)
        await at(91)

        const now = await uses()
        expect(now.map(withoutRaw)).toEqual(counted(acts))
        // The demand of an item is that of all its uses.
        const { rows } = await sql<{ id: string; all: number; uses: number }>`
          select s.id, (read_raw + recall_raw + prompt_raw) * demand_left(loam_now() - s.as_of) as all,
            (select coalesce(sum(u.raw * demand_left(loam_now() - u.as_of)), 0) from item_uses u where u.id = s.id) as uses
          from item_stats s`.execute(db)
        for (const { all, uses } of rows) expect(uses).toBeCloseTo(all, 4)

        await rebuildDemand(kernel)
        const anew = await uses()
        expect(anew.map(withoutRaw)).toEqual(counted(acts))
        for (const [i, { raw }] of anew.entries()) expect(raw).toBeCloseTo(now[i]!.raw, 4)
      }),
      { numRuns: 40 },
    )
  })

  test('a pull counts where the asking agent works, within a day of the briefing, not before it', async () => {
    const brief: Act = {
      hours: 10,
      surface: 'session-start',
      items: ['M1', 'M2'],
      project: 'atlas',
    }
    const pulled = async (): Promise<string[]> =>
      (await uses()).filter((use) => use.pulled).map(({ project, id }) => `${project} ${id}`)
    await happen({ hours: 9, surface: 'read', items: ['M1'], project: 'atlas' })
    await happen(brief)
    await happen({ hours: 11, surface: 'read', items: ['M1'], project: 'delta' })
    await happen({ hours: 11, surface: 'user-prompt-submit', items: ['M1'], project: 'atlas' })
    await happen({ hours: 35, surface: 'read', items: ['M1'], project: 'atlas' })
    expect(await pulled()).toEqual([])
    await happen({ hours: 33, surface: 'recall', items: ['M2'], project: 'atlas' })
    expect(await pulled()).toEqual(['atlas M2'])
  })
})

test('what was read up to two seconds before it was shown counts as read after it: batches are late', async () => {
  const pulled = async (): Promise<string[]> =>
    (await uses()).filter((use) => use.pulled).map(({ id }) => id)
  await happen({ hours: 1, surface: 'read', items: ['M1'], project: 'atlas' })
  await happen({ hours: 1 + 1 / 60, surface: 'session-start', items: ['M1'], project: 'atlas' })
  expect(await pulled()).toEqual([])
  await happen({ hours: 2, surface: 'read', items: ['M2'], project: 'atlas' })
  await happen({ hours: 2, surface: 'session-start', items: ['M2'], project: 'atlas' })
  expect(await pulled()).toEqual(['M2'])
})

test('what is shown and read at the same time counts as pulled: who tells it second sees the first', async () => {
  await at(1)
  const by = { session: 'S-atlas', model: '' }
  const shown = { item_ids: ['M1'], hook: 'session-start' }
  let read: Promise<unknown> | undefined
  await db.transaction().execute(async (db) => {
    const draft = { by, project: 'atlas', item: null, payload: shown }
    await record({ ...kernel, db }, injected, draft)
    read = record(kernel, memoryRead, { by, project: 'atlas', item: 'M1', payload: {} })
    await sleep(100)
  })
  await read
  await tellStatistics(db)
  const pulled = (await uses()).filter((use) => use.pulled)
  expect(pulled).toMatchObject([{ id: 'M1', surface: 'session-start' }])
})

test('what was shown counts as pulled when the log hears of it after the read', async () => {
  await happen({ hours: 2, surface: 'read', items: ['M1'], project: 'atlas' })
  await happen({ hours: 1, surface: 'session-start', items: ['M1', 'M2'], project: 'atlas' })
  const pulled = (await uses()).filter((use) => use.pulled)
  expect(pulled).toMatchObject([{ id: 'M1', surface: 'session-start' }])
})

describe('how often each kind of event happened', () => {
  const counts = async () => {
    await tellStatistics(db)
    const { rows } = await sql<{ project: string; kind: string; events: number }>`
      select project, kind, sum(events)::int as events from log_counts
      group by project, kind order by project, kind`.execute(db)
    return rows
  }

  test('is kept by project, and outlives the events that are pruned', async () => {
    await at(0)
    await happen({ hours: 0, surface: 'recall', items: ['M1'], project: 'atlas' })
    await happen({ hours: 0, surface: 'recall', items: ['M1'], project: 'atlas' })
    await happen({ hours: 0, surface: 'read', items: ['M1'], project: 'atlas' })
    await sql`
      insert into events (id, ts, kind, transport, project)
      select 'T' || n, loam_now(), 'tool.call', true, nullif('atlas', case when n = 3 then 'atlas' end)
      from generate_series(1, 3) n`.execute(db)
    await tellStatistics(db)
    await sql`delete from events`.execute(db)
    expect(await counts()).toEqual([
      { project: '', kind: 'tool.call', events: 1 },
      { project: 'atlas', kind: 'retrieval.injected', events: 2 },
      { project: 'atlas', kind: 'tool.call', events: 2 },
      { project: 'far away', kind: 'memory.read', events: 1 },
    ])
  })

  test('is not counted when the event is not recorded', async () => {
    const draft = { by: { session: '', model: '' }, project: '', item: 'M1', payload: {}, id: 'E1' }
    await record(kernel, memoryRead, draft)
    await record(kernel, memoryRead, draft)
    await expect(
      db.transaction().execute(async (db) => {
        await record({ ...kernel, db }, memoryRead, { ...draft, id: 'E2' })
        throw new Error('rolled back')
      }),
    ).rejects.toThrow('rolled back')
    expect(await counts()).toEqual([{ project: '', kind: 'memory.read', events: 1 }])
  })

  test('is exact when many count at once, in no more rows than count at the same moment', async () => {
    const one = { by: { session: '', model: '' }, project: 'atlas', item: 'M1', payload: {} }
    await Promise.all(
      Array.from({ length: 200 }, () =>
        db.transaction().execute((db) => record({ ...kernel, db }, memoryRead, one)),
      ),
    )
    expect(await counts()).toEqual([{ project: 'atlas', kind: 'memory.read', events: 200 }])
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from log_counts`.execute(db)
    expect(rows[0]!.n).toBeLessThanOrEqual(20)
  })
})
