/**
 * Leases: a job that must run on one process at a time, whichever that is.
 *
 * Held by database time. The token grows with each new holder, so that work which slept past its
 * lease can see, inside its own transaction, that it is no longer its turn.
 */
import { sql } from 'kysely'
import { newId } from '../kernel/id.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { conflict, Refusal } from '../kernel/refusal.ts'

/** Beyond it a timer of Node goes off at once: 2³¹ - 1 ms, some 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface Lease {
  name: string
  token: number
  /**
   * Throws unless the lease is still held; to be called in the transaction of each batch. Until that
   * transaction ends nobody else can take the lease.
   */
  stillMine(kernel: Kernel): Promise<void>
}

/** Takes the lease if it is free, lapsed or the holder's own; null when another holds it. */
export async function takeLease(
  kernel: Kernel,
  name: string,
  leaseMs: number,
  holder: string,
): Promise<Lease | null> {
  const until = sql<Date>`loam_now() + ${leaseMs} * interval '1 millisecond'`
  const row = await kernel.db
    .insertInto('leases')
    .values({ name, holder, until })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({
          holder,
          until,
          // A holder who renews in time keeps its token; after a lapse another may have come and gone.
          token: sql<number>`leases.token + (leases.holder <> ${holder} or leases.until <= loam_now())::int`,
        })
        .where((lease) =>
          lease.or([
            lease('leases.holder', '=', holder),
            lease('leases.until', '<=', sql<Date>`loam_now()`),
          ]),
        ),
    )
    .returning('token')
    .executeTakeFirst()
  if (!row) return null
  const { token } = row
  return { name, token, stillMine: (kernel) => assertHeld(kernel, name, token) }
}

async function assertHeld(kernel: Kernel, name: string, token: number): Promise<void> {
  const held = await kernel.db
    .selectFrom('leases')
    .select('token')
    .where('name', '=', name)
    .where('token', '=', token)
    .where('until', '>', sql<Date>`loam_now()`)
    .forShare()
    .executeTakeFirst()
  if (!held) throw conflict(`the lease "${name}" has passed to another process`)
}

/** Gives the lease up before its time. Does nothing when it is another's by now. */
async function dropLease(kernel: Kernel, { name, token }: Lease): Promise<void> {
  await kernel.db
    .updateTable('leases')
    .set({ until: sql<Date>`loam_now()` })
    .where('name', '=', name)
    .where('token', '=', token)
    .execute()
}

/**
 * Runs `work` under the lease and gives it up afterwards; undefined when another holds it.
 *
 * @param leaseMs how long the lease outlives a holder that was killed; it is renewed meanwhile
 */
export async function withLease<T>(
  kernel: Kernel,
  name: string,
  leaseMs: number,
  work: (lease: Lease) => Promise<T>,
): Promise<T | undefined> {
  const lease = await takeLease(kernel, name, leaseMs, newId(kernel.clock.now()))
  if (!lease) return undefined
  try {
    return await renewing(kernel, lease, leaseMs, work)
  } finally {
    await dropLease(kernel, lease).catch(() => {})
  }
}

async function renewing<T>(
  kernel: Kernel,
  lease: Lease,
  leaseMs: number,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const renewal = setInterval(() => {
    extendLease(kernel, lease, leaseMs).catch((err: unknown) =>
      kernel.log.warn({ err, lease: lease.name }, 'a lease could not be renewed'),
    )
  }, leaseMs / 3).unref()
  try {
    return await work(lease)
  } finally {
    clearInterval(renewal)
  }
}

/** Never brings back a lease that has lapsed: another may be about to take it. */
async function extendLease(kernel: Kernel, { name, token }: Lease, leaseMs: number): Promise<void> {
  await kernel.db
    .updateTable('leases')
    .set({ until: sql<Date>`loam_now() + ${leaseMs} * interval '1 millisecond'` })
    .where('name', '=', name)
    .where('token', '=', token)
    .where('until', '>', sql<Date>`loam_now()`)
    .execute()
}

/** For how many milliseconds the lease is still held; 0 when it is another's, or lapsed. Writes nothing. */
async function leftOf(kernel: Kernel, { name, token }: Lease): Promise<number> {
  const row = await kernel.db
    .selectFrom('leases')
    .select(sql<number>`extract(epoch from until - loam_now())::float8 * 1000`.as('left'))
    .where('name', '=', name)
    .where('token', '=', token)
    .executeTakeFirst()
  return Math.max(0, row?.left ?? 0)
}

export interface LeasedTimer {
  /** Runs no more, and resolves when the run under way has ended. */
  stop(): Promise<void>
}

export interface TimerOptions {
  name: string
  /** Between the end of one run and the next. */
  everyMs: number
  /** How long the lease outlives a holder that was killed; default a minute. */
  leaseMs?: number
  /** Also runs at once. */
  now?: boolean
  /** Until the first run; `everyMs` when left out. */
  firstMs?: number
  work(kernel: Kernel, lease: Lease): Promise<unknown>
}

/**
 * Runs a job again and again on one process of all, which keeps the lease from run to run. A lease of which half is left
 * is looked at and not written: an idle service would write several times a second. Never overlaps itself; a failure is
 * logged and the job goes on.
 */
export function leasedTimer(kernel: Kernel, options: TimerOptions): LeasedTimer {
  const { name, everyMs, leaseMs = 60_000, now = false, firstMs = everyMs, work } = options
  const holder = newId(kernel.clock.now())
  let stopped = false
  let last: Lease | null = null
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  const run = async (): Promise<void> => {
    try {
      let left = last ? await leftOf(kernel, last) : 0
      if (!last || left < leaseMs / 2) {
        last = await takeLease(kernel, name, leaseMs, holder)
        left = leaseMs
      }
      if (last) {
        await renewing(kernel, last, leaseMs, (lease) => work(kernel, lease))
        // Beyond the next run, so that nobody else runs the job in between.
        if (left < everyMs + leaseMs / 2) await extendLease(kernel, last, everyMs + leaseMs)
      }
    } catch (err) {
      // As after the sleep of a machine, when another process has gone on.
      if (err instanceof Refusal)
        kernel.log.warn({ job: name, why: err.message }, 'a timed job was left off')
      else kernel.log.error({ err, job: name }, 'a timed job failed')
    }
    if (!stopped) schedule(everyMs)
  }
  const schedule = (afterMs: number): void => {
    const legMs = Math.min(afterMs, LONGEST_TIMER_MS)
    const next = () => (legMs < afterMs ? schedule(afterMs - legMs) : (running = run()))
    timer = setTimeout(next, legMs).unref()
  }
  schedule(now ? 0 : firstMs)
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
      if (last) await dropLease(kernel, last).catch(() => {})
    },
  }
}
