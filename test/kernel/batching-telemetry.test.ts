import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import Type from 'typebox'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BatchingTelemetry } from '../../src/kernel/batching-telemetry.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Database } from '../../src/postgres/database.ts'
import { defineTransportEvent } from '../../src/kernel/event-kind.ts'
import { storableJson } from '../../src/kernel/event-rows.ts'
import { NOBODY, type Db } from '../../src/kernel/kernel.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { memoryLog } from '../helpers/edge.ts'

const probed = defineTransportEvent('probe.sent', Type.Object({ n: Type.Unknown() }), () => '')

describe('the batching writer', () => {
  let database: Database
  let telemetry: BatchingTelemetry
  let statements: number
  /** Thrown by the next statements, one each. */
  let failures: Error[]
  const { log, logged } = memoryLog()

  beforeEach(async () => {
    database = await openTestDatabase()
    statements = 0
    failures = []
    const db: Db = database.db.withPlugin({
      transformQuery({ node }) {
        statements++
        const failure = failures.shift()
        if (failure) throw failure
        return node
      },
      transformResult: async ({ result }) => result,
    })
    telemetry = new BatchingTelemetry({ db, clock: systemClock, log })
  })
  afterEach(async () => {
    await telemetry.close()
    await database.close()
  })

  const push = (n: unknown, id?: string): Promise<void> =>
    telemetry.push(probed, {
      by: { session: 's', model: '' },
      project: 'atlas',
      item: null,
      payload: { n },
      ...(id && { id }),
    })
  const kept = async (): Promise<unknown[]> => {
    const { rows } = await sql<{ n: unknown }>`
      select payload -> 'n' as n from events where kind = 'probe.sent' order by id`.execute(
      database.db,
    )
    return rows.map(({ n }) => n)
  }

  test('counts once for all who ask while it is counted, and after what they wrote', async () => {
    let counted = 0
    const seen: number[] = []
    const under = Promise.withResolvers<void>()
    const own = new BatchingTelemetry({
      ...{ db: database.db, clock: systemClock, log },
      async count() {
        counted++
        if (counted === 1) await under.promise
        seen.push((await kept()).length)
        return true
      },
    })
    const first = own.flush()
    await expect.poll(() => counted).toBe(1)
    const draft = { by: NOBODY, project: 'atlas', item: null, payload: { n: 1 } }
    await own.push(probed, draft)
    const others = Array.from({ length: 5 }, () => own.flush())
    await expect.poll(async () => (await kept()).length).toBe(1)
    under.resolve()
    await Promise.all([first, ...others])
    expect(counted).toBe(2)
    expect(seen).toEqual([1, 1])
    await own.flush()
    expect(counted).toBe(3)
    await own.close()
  })

  test('rests from counting for longer than that took, unless there was nothing to count', async () => {
    let isMore = true
    const spans: { fromMs: number; toMs: number }[] = []
    const own = new BatchingTelemetry({
      ...{ db: database.db, clock: systemClock, log },
      async count() {
        const fromMs = performance.now()
        await sleep(20)
        spans.push({ fromMs, toMs: performance.now() })
        return isMore
      },
    })
    await own.flush()
    isMore = false
    await own.flush()
    const [one, two] = spans as [(typeof spans)[0], (typeof spans)[0]]
    // Timers are a millisecond early at times.
    expect(two.fromMs - one.toMs).toBeGreaterThan(2 * (one.toMs - one.fromMs))
    await own.flush()
    expect(spans).toHaveLength(3)
    await own.close()
  })

  test('goes on counting after it failed', async () => {
    let counted = 0
    const own = new BatchingTelemetry({
      ...{ db: database.db, clock: systemClock, log },
      async count() {
        if (++counted === 1) throw new Error('away')
        return false
      },
    })
    await own.flush()
    await own.flush()
    expect(counted).toBe(2)
    expect(logged()).toContain('what happened was not counted yet')
    await own.close()
  })

  test('lets those who wait for an answer go first, for a quarter of a second at most', async () => {
    let isAnswering = true
    const own = new BatchingTelemetry({
      ...{ db: database.db, clock: systemClock, log, isAnswering: () => isAnswering },
    })
    const draft = { by: NOBODY, project: 'atlas', item: null }
    const pushed = performance.now()
    await own.push(probed, { ...draft, payload: { n: 1 } })
    await expect.poll(kept, { timeout: 5_000 }).toEqual([1])
    expect(performance.now() - pushed).toBeGreaterThan(240)
    await own.push(probed, { ...draft, payload: { n: 2 } })
    await sleep(100)
    expect(await kept()).toEqual([1])
    isAnswering = false
    await expect.poll(kept, { timeout: 5_000 }).toEqual([1, 2])
    await own.close()
  })

  test('writes what was pushed together in one statement', async () => {
    for (let n = 0; n < 150; n++) await push(n)
    await telemetry.flush()
    expect(await kept()).toEqual(Array.from({ length: 150 }, (_, n) => n))
    expect(statements).toBe(1)
  })

  test('cuts batches at 200 rows and at 1 MiB', async () => {
    for (let n = 0; n < 450; n++) await push(n)
    await telemetry.flush()
    expect(statements).toBe(3)

    statements = 0
    for (let n = 0; n < 5; n++) await push('x'.repeat(400_000))
    await telemetry.flush()
    expect(statements).toBe(3)
    expect(await kept()).toHaveLength(455)
  })

  test('writes by itself within moments', async () => {
    await push(1)
    await expect.poll(kept).toEqual([1])
  })

  test('gives an event the time at which it happened, not that of its writing', async () => {
    // Tried again after 100, 200, 400 and 800 ms.
    failures = Array.from({ length: 4 }, () =>
      Object.assign(new Error('away'), { code: 'ECONNREFUSED' }),
    )
    const before = await now()
    await push(1)
    await telemetry.flush()
    const { rows } = await sql<{ ts: Date }>`select ts from events`.execute(database.db)
    expect(rows[0]!.ts.getTime() - before).toBeLessThan(1_500)
  })

  test('words an event later when that takes time, and not later than a flush', async () => {
    let worded = 0
    const later = (n: number): Promise<void> =>
      telemetry.pushLater(probed, () => {
        worded++
        return { by: NOBODY, project: null, item: null, payload: { n } }
      })
    await later(1)
    expect(worded).toBe(0)
    await expect.poll(kept).toEqual([1])
    await later(2)
    await telemetry.flush()
    expect(await kept()).toEqual([1, 2])
    expect(worded).toBe(2)
  })

  test('drops an event that cannot be worded, and says so', async () => {
    await telemetry.pushLater(probed, () => {
      throw new Error('no words')
    })
    await push(3)
    await telemetry.flush()
    expect(await kept()).toEqual([3])
    expect(telemetry.dropped).toBe(1)
    expect(logged()).toContain('no words')
  })

  test('makes strings storable', async () => {
    await push({ 'k\0': 'a\0b', lone: '\ud800x', pair: '🦊', text: '\\u0000 \\ud800' })
    await telemetry.flush()
    expect(await kept()).toEqual([
      { 'k\ufffd': 'a\ufffdb', lone: '\ufffdx', pair: '🦊', text: '\\u0000 \\ud800' },
    ])
  })

  test('drops the one row that no database takes, and keeps its neighbours', async () => {
    const taken = newest()
    for (let n = 0; n < 20; n++) {
      // jsonb has no number of this size: the batch is refused as a whole.
      await push(n === 13 ? bigNumber : n)
    }
    await telemetry.flush()
    expect(await kept()).toEqual(taken.filter((n) => n !== 13))
    expect(telemetry.dropped).toBe(1)
    expect(logged()).toContain('could not be written')
  })

  test('waits for a database that is away, and then writes everything once', async () => {
    const away = (): Error => Object.assign(new Error('gone'), { code: '57P01' })
    failures = [away(), away()]
    for (let n = 0; n < 10; n++) await push(n)
    await telemetry.flush()
    expect(await kept()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('does not write twice what was written before the answer was lost', async () => {
    await push(1, '01K9ZC4T7Q8V2M5N6P3R1S0WXY')
    await telemetry.flush()
    failures = [Object.assign(new Error('Connection terminated unexpectedly'), {})]
    await push(1, '01K9ZC4T7Q8V2M5N6P3R1S0WXY')
    await push(2)
    await telemetry.flush()
    expect(await kept()).toEqual([1, 2])
  })

  test('waits in push once 8 MiB are queued, and goes on when there is room', async () => {
    failures = Array.from({ length: 2 }, () => Object.assign(new Error('x'), { code: '57P01' }))
    const pushes = Array.from({ length: 30 }, () => push('x'.repeat(512 * 1024)))
    let waiting = 0
    for (const each of pushes) {
      waiting++
      void each.then(() => waiting--)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(waiting).toBeGreaterThan(5)
    await Promise.all(pushes)
    await telemetry.flush()
    expect(await kept()).toHaveLength(30)
  })

  test('writes the rest when it is closed, and nothing after it', async () => {
    await push(1)
    await telemetry.close()
    await push(2)
    expect(await kept()).toEqual([1])
  })

  const now = async (): Promise<number> => {
    const { rows } = await sql<{ now: Date }>`select loam_now() as now`.execute(database.db)
    return rows[0]!.now.getTime()
  }
})

/** Becomes 1e999999 in JSON, which no numeric of PostgreSQL holds. */
const bigNumber = {
  toJSON: (): unknown =>
    (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON('1e999999'),
}
const newest = (): number[] => Array.from({ length: 20 }, (_, n) => n)

test('storable text is untouched when there is nothing to do', () => {
  const json = JSON.stringify({ a: 'plain \\u text', b: 'ü🦊' })
  expect(storableJson(json)).toBe(json)
})
