/**
 * How a follower of the log is handed events: in a transaction of its own, which also moves its row. So an event is
 * handed over once, whichever process does it, and one that was cut short is handed over again. What a follower does
 * can neither fail nor slow the act that the event tells of, which was committed before.
 */
import { sql } from 'kysely'
import type { FeedEvent } from '../kernel/feed.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { sqlFile } from './sql-file.ts'
import { inTransaction } from './transaction.ts'

export interface Follower {
  name: string
  /** Of the events that it is handed. */
  kinds: readonly string[]
  /** Called when it begins to follow, in the transaction that gives it its row. */
  begin?(kernel: Kernel): Promise<unknown>
  /** What it counts of the time before it begins. */
  past?: { kinds: readonly string[]; from(db: Db): Promise<Date> }
  /** In one transaction with the move of its row: awaits the database alone. */
  take(kernel: Kernel, page: FollowedPage): Promise<void>
}

/** Events in the order in which they are handed over, at least one. */
export interface FollowedPage {
  events: readonly FeedEvent[]
  /** They happened before it began to follow, and come in the order of their times. */
  past: boolean
  /** When it began. */
  since: Date
  /** The snapshots between which the events became visible; all that was visible in `prev` came before. */
  prev: string
  now: string
}

interface Place {
  name: string
  since: Date
  prev: string
  now: string
  tx: string
  id: string
  past_ts: Date | null
  past_id: string
}

const PAGE = 1_000
/** So many transactions may pass before a row is moved over a span in which there was nothing for its follower. */
const MOST_PASSED = 1_000
/** Before every row of a span. */
const START = { tx: '0', id: '' }

type Asked = { kinds: readonly string[]; limit: number }
const followed = sqlFile<Asked & Pick<Place, 'prev' | 'now' | 'tx' | 'id'>, FeedEvent>(
  'feed/followed',
)
const before = sqlFile<Asked & { prev: string; ts: Date; id: string }, FeedEvent>('feed/past')

/** From this moment on the follower follows; what other transactions record meanwhile is handed to it. */
export function follow(kernel: Kernel, { name, past, begin }: Follower): Promise<void> {
  return inTransaction(kernel, async (kernel) => {
    const { db } = kernel
    const now = await snapshotOf(db)
    const past_ts = past ? await past.from(db) : null
    const row = await db
      .insertInto('followers')
      .values({ name, prev: now, now, ...START, past_ts })
      .onConflict((conflict) => conflict.doNothing())
      .returning('name')
      .executeTakeFirst()
    if (row) await begin?.(kernel)
  })
}

/** It follows no more. What had happened until then is handed to it before, unless it still counts the past. */
export function unfollow(kernel: Kernel, follower: Follower): Promise<void> {
  return inTransaction(kernel, async (kernel) => {
    for (;;) {
      const place = await lock(kernel.db, follower.name)
      if (!place || place.past_ts !== null) break
      if (!(await handOver(kernel, follower, place))) break
    }
    await kernel.db.deleteFrom('followers').where('name', '=', follower.name).execute()
  })
}

/**
 * Hands over one page. Returns `more` when another may be waiting, `done` when none is, and `off` when the follower
 * has no row.
 */
export function advance(kernel: Kernel, follower: Follower): Promise<'more' | 'done' | 'off'> {
  return inTransaction(kernel, async (kernel) => {
    const place = await lock(kernel.db, follower.name)
    if (!place) return 'off'
    if (place.past_ts !== null) {
      await countPast(kernel, follower, place, place.past_ts)
      return 'more'
    }
    return (await handOver(kernel, follower, place)) ? 'more' : 'done'
  })
}

/**
 * For a start: leaves the rows of these alone. A row whose snapshots are from beyond the present is of another
 * cluster, from which this one was restored, and means nothing here.
 */
export async function forgetOthers({ db }: Kernel, names: readonly string[]): Promise<void> {
  await db
    .deleteFrom('followers')
    .where(({ or, not, eb }) =>
      or([
        not(eb('name', '=', sql<string>`any (${[...names]}::text[])`)),
        sql<boolean>`pg_snapshot_xmax(prev::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot())`,
      ]),
    )
    .execute()
}

async function countPast(
  kernel: Kernel,
  follower: Follower,
  { since, prev, past_id }: Place,
  past_ts: Date,
): Promise<void> {
  const { kinds } = follower.past!
  const asked = { kinds, limit: PAGE, prev, ts: past_ts, id: past_id }
  const events = await before(kernel.db, asked)
  if (events.length > 0) {
    await follower.take(kernel, { events, past: true, since, prev, now: prev })
  }
  const last = events.length === PAGE ? events.at(-1)! : undefined
  await move(kernel.db, follower.name, { past_ts: last?.ts ?? null, past_id: last?.id ?? '' })
}

/** Returns whether there was anything, in which case there may be more. */
async function handOver(kernel: Kernel, follower: Follower, place: Place): Promise<boolean> {
  const { db } = kernel
  const { name, since, prev } = place
  const open = place.now !== prev
  const span = open ? place : { prev, now: await snapshotOf(db), ...START }
  if (span.now === prev) return false
  const { now, tx, id } = span
  const events = await followed(db, { prev, now, tx, id, kinds: follower.kinds, limit: PAGE })
  if (events.length > 0) await follower.take(kernel, { events, past: false, since, prev, now })
  const last = events.at(-1)
  if (events.length === PAGE) await move(db, name, { now, tx: last!.tx, id: last!.id })
  else if (last || open || passed(prev, now) > MOST_PASSED) {
    await move(db, name, { prev: now, now, ...START })
  }
  return events.length > 0 || open
}

/** Of two that lock at once one waits, and then finds what the other left. */
const lock = (db: Db, name: string): Promise<Place | undefined> =>
  db.selectFrom('followers').selectAll().where('name', '=', name).forUpdate().executeTakeFirst()

async function move(db: Db, name: string, to: Partial<Place>): Promise<void> {
  await db.updateTable('followers').set(to).where('name', '=', name).execute()
}

async function snapshotOf(db: Db): Promise<string> {
  const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db)
  return rows[0]!.now
}

const xmaxOf = (snapshot: string): number => Number(snapshot.split(':')[1])
const passed = (prev: string, now: string): number => xmaxOf(now) - xmaxOf(prev)
