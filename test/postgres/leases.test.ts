import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/postgres/database.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { leasedTimer, takeLease, withLease } from '../../src/postgres/leases.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { bareKernel } from '../helpers/kernel.ts'

let database: Database
let kernel: Kernel
beforeAll(async () => {
  database = await openTestDatabase()
  kernel = bareKernel(database)
})
afterAll(() => database.close())

/** Moves the database's own time. */
const wait = (seconds: number): Promise<unknown> =>
  sql`update clock set shift = shift + ${seconds} * interval '1 second'`.execute(kernel.db)

describe('a lease', () => {
  test('goes to one of many who ask at once, and to the next when it has lapsed', async () => {
    const ask = (holder: string) => takeLease(kernel, 'a', 60_000, holder)
    const asked = await Promise.all(['1', '2', '3', '4', '5', '6'].map(ask))
    const [first, ...more] = asked.filter((lease) => lease !== null)
    expect(more).toEqual([])
    expect(first?.token).toBe(1)

    await wait(61)
    const next = (await Promise.all(['7', '8'].map(ask))).filter((lease) => lease !== null)
    expect(next.map(({ token }) => token)).toEqual([2])
  })

  test('is renewed by its holder under the same token', async () => {
    const [first, again] = [
      await takeLease(kernel, 'b', 60_000, 'me'),
      await takeLease(kernel, 'b', 60_000, 'me'),
    ]
    expect([first?.token, again?.token]).toEqual([1, 1])
    await wait(61)
    expect((await takeLease(kernel, 'b', 60_000, 'me'))?.token).toBe(2)
  })

  test('that has lapsed stops its holder inside the next transaction', async () => {
    const lease = await takeLease(kernel, 'c', 60_000, 'slow')
    await inTransaction(kernel, (kernel) => lease!.stillMine(kernel))
    await wait(61)
    const late = inTransaction(kernel, (kernel) => lease!.stillMine(kernel))
    await expect(late).rejects.toThrow('the lease "c" has passed to another process')
    await takeLease(kernel, 'c', 60_000, 'quick')
    const later = inTransaction(kernel, (kernel) => lease!.stillMine(kernel))
    await expect(later).rejects.toThrow('has passed to another process')
  })

  test('is held for the length of its work, renewed meanwhile, and then given up', async () => {
    const during = await withLease(kernel, 'd', 300, async () => {
      await sleep(700)
      return withLease(kernel, 'd', 300, async () => 'inner')
    })
    expect(during).toBeUndefined()
    expect(await withLease(kernel, 'd', 300, async () => 'done')).toBe('done')
    await expect(
      withLease(kernel, 'd', 300, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow()
    expect(await withLease(kernel, 'd', 300, async () => 'again')).toBe('again')
  })
})

describe('a timed job', () => {
  test('runs on one process, never over itself, and outlives a failure', async () => {
    const runs: string[] = []
    let inside = 0
    const job = (who: string) =>
      leasedTimer(kernel, {
        name: 'job',
        everyMs: 30,
        now: true,
        async work() {
          expect(++inside).toBe(1)
          runs.push(who)
          await sleep(10)
          inside--
          if (runs.length === 2) throw new Error('once')
        },
      })
    const timers = [job('one'), job('two')]
    await expect.poll(() => runs.length).toBeGreaterThan(4)
    expect(new Set(runs).size).toBe(1)
    const [holder, other] = runs[0] === 'one' ? timers : timers.toReversed()
    await holder!.stop()
    const stopped = runs.length
    await expect.poll(() => runs.length).toBeGreaterThan(stopped)
    expect(runs.at(-1)).not.toBe(runs[0])
    await other!.stop()
    const end = runs.length
    await sleep(80)
    expect(runs.length).toBe(end)
  })

  test('writes nothing from run to run while half of its lease is left', async () => {
    let runs = 0
    const timer = leasedTimer(kernel, {
      ...{ name: 'steady', everyMs: 10, leaseMs: 60_000, now: true },
      work: async () => runs++,
    })
    const version = async () => {
      const { rows } = await sql<{ version: string; token: number }>`
        select xmin::text as version, token from leases where name = 'steady'`.execute(kernel.db)
      return rows[0]!
    }
    await expect.poll(() => runs).toBeGreaterThan(1)
    const before = await version()
    const soFar = runs
    await expect.poll(() => runs).toBeGreaterThan(soFar + 3)
    expect(await version()).toEqual(before)
    // By the database's clock, whoever set it.
    await wait(31)
    await expect.poll(async () => (await version()).version).not.toBe(before.version)
    expect((await version()).token).toBe(before.token)
    await timer.stop()
  })

  test('of a job that is to run every thirty days is not taken again at once', async () => {
    let runs = 0
    const timer = leasedTimer(kernel, {
      ...{ name: 'rare', everyMs: 30 * 24 * 3_600_000, firstMs: 0 },
      work: async () => runs++,
    })
    await expect.poll(() => runs).toBe(1)
    await sleep(200)
    await timer.stop()
    expect(runs).toBe(1)
  })

  test('that is lost while its work goes on is told in words, and is no fault', async () => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const ran = Promise.withResolvers<void>()
    const timer = leasedTimer(
      { ...kernel, log },
      {
        ...{ name: 'asleep', everyMs: 60_000, now: true },
        async work(kernel, lease) {
          await wait(3_600)
          try {
            await inTransaction(kernel, (kernel) => lease.stillMine(kernel))
          } finally {
            ran.resolve()
          }
        },
      },
    )
    await ran.promise
    await timer.stop()
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, job: 'asleep', why: expect.stringContaining('has passed to another process') },
    ])
    expect(lines.join()).not.toContain('stack')
  })
})
