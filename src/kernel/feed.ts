/**
 * The live feed: every recorded event, once, to everybody who follows, on whichever process.
 *
 * A place in the log is a pair of snapshots and a row between them, never an id: ids are not in commit
 * order. One tail per process reads what has become visible since its last read; a follower that
 * comes back with an old place reads what it missed and joins the tail without a gap or an overlap.
 * Wake-ups make it fast; the poll is what it relies on.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import pLimit from 'p-limit'
import type { Logger } from 'pino'
import type { Database } from './database.ts'
import type { Db } from './kernel.ts'
import { sqlFile } from './sql-file.ts'

/** An event as the log holds it. */
export interface FeedEvent {
  id: string
  ts: Date
  kind: string
  session_id: string | null
  project: string | null
  item_id: string | null
  payload: Record<string, unknown>
  tx: string
}

/** Some events in order, and between which snapshots they became visible. */
export interface Batch {
  prev: string
  now: string
  events: readonly FeedEvent[]
}

export interface Follower {
  take(batch: Batch): void
  /** The log has become another one (a restore, a failover that lost something): look at it anew. */
  lost(): void
}

export const CHANNEL = 'loam_events'
/** How often is read without being woken. */
const POLL_MS = 200
/** An event that commits within the gate's closed time wakes nobody; a second look finds it. */
const SECOND_LOOK_MS = 25
const PAGE = 500
/** A place further back than this many events is too old to be made up for. */
const MOST_MISSED = 20_000

const between = sqlFile<
  { prev: string; now: string; tx: string; id: string; limit: number },
  FeedEvent
>('feed/between')
const readCluster = sqlFile<Record<never, never>, { system: string; timeline: string }>(
  'feed/cluster',
)
/** Which cluster answers is asked this often, and after every failure. */
const CLUSTER_MS = 10_000

/** Where a follower stopped: behind the row (tx, id) of the batch between the two snapshots. */
export interface Place {
  prev: string
  now: string
  tx: string
  id: string
}

export class Feed {
  readonly #db: Db
  readonly #log: Logger
  readonly #storeId: string
  readonly #listening: Disposable
  readonly #followers = new Set<Follower>()
  /** Reads and joins take turns, so that nobody joins in the middle of a read. */
  readonly #turn = pLimit(1)
  #epoch = ''
  #epochUntil = 0
  #snapshot = ''
  #timer: NodeJS.Timeout | undefined
  #woken = false
  #failing = false
  #closed = false

  constructor({ database, storeId, log }: { database: Database; storeId: string; log: Logger }) {
    this.#db = database.db
    this.#storeId = storeId
    this.#log = log
    this.#listening = database.listen(CHANNEL, () => this.#wake())
  }

  /**
   * Of this store on this cluster and timeline: places of another epoch mean nothing here.
   *
   * @throws when the database is away
   */
  async epoch(): Promise<string> {
    await this.#turn(() => this.#knowEpoch())
    return this.#epoch
  }

  /** How many follow at the moment. */
  get followers(): number {
    return this.#followers.size
  }

  /**
   * Follows from now on, or from `place` on. Resolves when the follower is up to date and part of the
   * tail; `lost` when the place is too old to be made up for, and then it follows from now on.
   *
   * @throws when the database is away
   */
  async follow(follower: Follower, place?: Place): Promise<'joined' | 'lost'> {
    let from = place
    let missed = 0
    for (;;) {
      const answer = await this.#turn(() => this.#join(follower, from))
      if (answer === 'joined') return missed > MOST_MISSED ? 'lost' : 'joined'
      // Too much for one turn: page by page, while the tail goes on for the others.
      const pages = await this.#catchUp(follower, from!, answer.until, MOST_MISSED - missed)
      missed += pages.read
      if (pages.tooMany) {
        await this.#turn(() => this.#join(follower, undefined))
        return 'lost'
      }
      from = { prev: answer.until, now: answer.until, tx: '0', id: '' }
    }
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower)
  }

  async #join(follower: Follower, from: Place | undefined): Promise<'joined' | { until: string }> {
    await this.#read()
    if (from) {
      const rest = await this.#rest(from, PAGE + 1)
      if (rest === 'many') return { until: this.#snapshot }
      for (const batch of rest) follower.take(batch)
    }
    if (!this.#closed) this.#followers.add(follower)
    this.#plan(POLL_MS)
    return 'joined'
  }

  /** What the place has not seen up to the tail's snapshot, as at most two batches. */
  async #rest(from: Place, most: number): Promise<Batch[] | 'many'> {
    const own = await between(this.#db, { ...from, limit: most })
    const since = { prev: from.now, now: this.#snapshot }
    const later = await between(this.#db, { ...since, tx: '0', id: '', limit: most })
    if (own.length + later.length >= most) return 'many'
    return [
      { prev: from.prev, now: from.now, events: own },
      { ...since, events: later },
    ].filter(({ events }) => events.length > 0)
  }

  async #catchUp(
    follower: Follower,
    from: Place,
    until: string,
    most: number,
  ): Promise<{ read: number; tooMany: boolean }> {
    let read = 0
    for (const span of [from, { prev: from.now, now: until, tx: '0', id: '' }]) {
      for (let at = span; ;) {
        const events = await between(this.#db, { ...at, limit: PAGE })
        if (read + events.length > most) return { read, tooMany: true }
        if (events.length > 0) follower.take({ prev: span.prev, now: span.now, events })
        read += events.length
        const last = events.at(-1)
        if (!last || events.length < PAGE) break
        at = { ...span, tx: last.tx, id: last.id }
      }
    }
    return { read, tooMany: false }
  }

  #wake(): void {
    this.#woken = true
    if (this.#followers.size > 0) this.#plan(0)
  }

  #plan(after: number): void {
    clearTimeout(this.#timer)
    if (this.#closed || this.#followers.size === 0) return
    this.#timer = setTimeout(() => {
      this.#woken = false
      void this.#turn(() => this.#readForAll())
    }, after).unref()
  }

  async #readForAll(): Promise<void> {
    try {
      const found = await this.#read()
      if (this.#failing) this.#log.info('the live feed reads again')
      this.#failing = false
      this.#plan(this.#woken ? 0 : found ? SECOND_LOOK_MS : POLL_MS)
    } catch (error) {
      if (!this.#failing) this.#log.warn({ err: error }, 'the live feed cannot read')
      this.#failing = true
      this.#epochUntil = 0
      this.#plan(POLL_MS)
    }
  }

  /** One read of the tail: everything that has become visible since the last one. */
  async #read(): Promise<boolean> {
    await this.#knowEpoch()
    const now = await readSnapshot(this.#db)
    if (this.#followers.size === 0) this.#snapshot = now
    if (this.#snapshot === now) return false
    const span = { prev: this.#snapshot, now }
    let found = false
    for (let at = { tx: '0', id: '' }; ;) {
      const events = await between(this.#db, { ...span, ...at, limit: PAGE })
      found ||= events.length > 0
      if (events.length > 0) {
        for (const follower of this.#followers) follower.take({ ...span, events })
      }
      const last = events.at(-1)
      if (!last || events.length < PAGE) break
      at = { tx: last.tx, id: last.id }
    }
    this.#snapshot = now
    return found
  }

  /** Another cluster answers after a restore or a failover: the old numbers mean nothing there. */
  async #knowEpoch(): Promise<void> {
    if (performance.now() < this.#epochUntil) return
    const [cluster] = await readCluster(this.#db, {})
    const epoch = epochOf(this.#storeId, cluster ?? { system: '', timeline: '' })
    if (this.#epoch !== '' && epoch !== this.#epoch) {
      this.#snapshot = await readSnapshot(this.#db)
      for (const follower of this.#followers) follower.lost()
    }
    this.#epoch = epoch
    this.#epochUntil = performance.now() + CLUSTER_MS
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#listening[Symbol.dispose]()
    this.#followers.clear()
  }
}

async function readSnapshot(db: Db): Promise<string> {
  const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db)
  return rows[0]!.now
}

function epochOf(storeId: string, { system, timeline }: { system: string; timeline: string }) {
  const text = `${storeId} ${system} ${timeline}`
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
