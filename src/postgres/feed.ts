/**
 * The live feed: every recorded event, once, to each subscriber on every process.
 *
 * A cursor is a pair of snapshots and a row between them, never an id: ids are not in commit
 * order. One tail per process reads what has become visible since its last read; a subscriber that
 * comes back with an old cursor reads what it missed, at its own pace, and joins the tail without a gap
 * or an overlap. NOTIFY makes it fast; the poll makes it certain.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import pLimit from 'p-limit'
import type { Logger } from 'pino'
import type { Database } from './database.ts'
import type { Batch, Cursor, Feed, FeedEvent, Span, Subscriber } from '../kernel/feed.ts'
import type { Db } from '../kernel/kernel.ts'
import { sqlFile } from './sql-file.ts'

export const CHANNEL = 'loam_events'
/** How often the tail reads without a NOTIFY. */
const POLL_MS = 200
/** A NOTIFY is sent at most once in a while. The second look finds events that committed without one. */
const SECOND_LOOK_MS = 25
const PAGE = 500
/** A subscriber no further behind than this gets what it missed in the turn in which it joins the tail. */
const JOIN_WITHIN = 100
/** A cursor further back than this many events is too old to replay. */
const MOST_MISSED = 20_000
/** The identity of the cluster is read this often, and after every failure. */
const CLUSTER_MS = 10_000
/** Before every row of a span. */
const START = { tx: '0', id: '0'.repeat(26) }

type Asked = { prev: string; now: string; tx: string; id: string }
const between = sqlFile<Asked & { limit: number }, FeedEvent>('feed/between')
const countMissed = sqlFile<Asked & { most: number }, { missed: number }>('feed/missed')
const readCluster = sqlFile<Record<never, never>, { system: string; timeline: string }>(
  'feed/cluster',
)

export class LogFeed implements Feed {
  readonly #db: Db
  readonly #log: Logger
  readonly #storeId: string
  readonly #listening: Disposable
  readonly #subscribers = new Set<Subscriber>()
  /** Some leave before they have joined. */
  readonly #left = new WeakSet<Subscriber>()
  /** Reads and joins take turns, so that nobody joins in the middle of a read. */
  readonly #turn = pLimit(1)
  #epoch = ''
  #epochUntilMs = 0
  #snapshot = ''
  /** The read under way, and how far it has come. */
  #open: Cursor | undefined
  #timer: NodeJS.Timeout | undefined
  #dueMs = 0
  #waiting = false
  #failing = false
  #closed = false

  constructor({ database, storeId, log }: { database: Database; storeId: string; log: Logger }) {
    this.#db = database.db
    this.#storeId = storeId
    this.#log = log
    this.#listening = database.listen(CHANNEL, () => this.#schedule(0))
  }

  get subscribers(): number {
    return this.#subscribers.size
  }

  async follow(subscriber: Subscriber, cursor?: Cursor | 'unknown'): Promise<void> {
    let from = cursor
    for (;;) {
      const further = await this.#turn(() => this.#join(subscriber, from))
      if (!further || this.#left.has(subscriber)) return
      // Too much for one turn: page by page, while the tail goes on for the others.
      const made = await this.#replay(subscriber, further.spans)
      from = made ? cursorOf(further.until) : 'unknown'
    }
  }

  leave(subscriber: Subscriber): void {
    this.#left.add(subscriber)
    this.#subscribers.delete(subscriber)
  }

  /** Joins the tail, or returns what must be replayed first because it does not fit into one turn. */
  async #join(
    subscriber: Subscriber,
    from: Cursor | 'unknown' | undefined,
  ): Promise<{ spans: Cursor[]; until: Span } | undefined> {
    await this.#read()
    const until = { epoch: this.#epoch, prev: this.#snapshot, now: this.#snapshot }
    const known = typeof from === 'object' && this.#reaches(from) ? from : undefined
    if (known) {
      const spans = [known, { ...cursorOf(until), prev: known.now }]
      const batches: Batch[] = []
      for (const span of spans) {
        const events = await this.#page(span, JOIN_WITHIN)
        if (events.length === JOIN_WITHIN) return { spans, until }
        if (events.length > 0) batches.push({ ...spanOf(span), events })
      }
      for (const batch of batches) void subscriber.take(batch)
    }
    if (this.#closed || this.#left.has(subscriber)) return undefined
    subscriber.begin(cursorOf(until), from !== undefined && !known)
    this.#subscribers.add(subscriber)
    this.#schedule(POLL_MS)
    return undefined
  }

  /** Whether a cursor is of this log, and not from beyond the point to which it was restored. */
  #reaches({ epoch, now }: Cursor): boolean {
    return epoch === this.#epoch && xmaxOf(now) <= xmaxOf(this.#snapshot)
  }

  /** Hands over everything in the spans, at the subscriber's pace; false when that is too much. */
  async #replay(subscriber: Subscriber, spans: readonly Cursor[]): Promise<boolean> {
    let missed = 0
    for (const span of spans) {
      const asked = { ...askedOf(span), most: MOST_MISSED + 1 }
      missed += (await countMissed(this.#db, asked))[0]?.missed ?? 0
    }
    if (missed > MOST_MISSED) return false
    for (const span of spans) {
      for await (const events of this.#pages(span)) {
        await subscriber.take({ ...spanOf(span), events })
        if (this.#left.has(subscriber) || this.#closed) return true
      }
    }
    return true
  }

  #page(from: Cursor, limit: number): Promise<FeedEvent[]> {
    return between(this.#db, { ...askedOf(from), limit })
  }

  async *#pages(from: Cursor): AsyncGenerator<FeedEvent[]> {
    for (let at = from; ;) {
      const events = await this.#page(at, PAGE)
      if (events.length > 0) yield events
      const last = events.at(-1)
      if (!last || events.length < PAGE) return
      at = { ...at, tx: last.tx, id: last.id }
    }
  }

  /** Reads after this time, or earlier if that is scheduled already. */
  #schedule(afterMs: number): void {
    if (this.#closed || this.#subscribers.size === 0) return
    const dueMs = performance.now() + afterMs
    if (this.#timer && this.#dueMs <= dueMs) return
    clearTimeout(this.#timer)
    this.#dueMs = dueMs
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#waiting) return
      this.#waiting = true
      void this.#turn(() => this.#readForAll())
    }, afterMs).unref()
  }

  async #readForAll(): Promise<void> {
    // A NOTIFY from here on may be of an event that this read does not find.
    this.#waiting = false
    if (this.#closed || this.#subscribers.size === 0) return
    try {
      const found = await this.#read()
      if (this.#failing) this.#log.info('the live feed reads again')
      this.#failing = false
      this.#schedule(found ? SECOND_LOOK_MS : POLL_MS)
    } catch (error) {
      if (!this.#failing) this.#log.warn({ err: error }, 'the live feed cannot read')
      this.#failing = true
      this.#epochUntilMs = 0
      this.#schedule(POLL_MS)
    }
  }

  /** One read of the tail: everything that has become visible since the last one. */
  async #read(): Promise<boolean> {
    await this.#knowEpoch()
    if (this.#subscribers.size === 0) this.#open = undefined
    // A read that failed half-way goes on where it stopped, or its first pages would come twice.
    if (this.#open) await this.#handOut(this.#open)
    const now = await readSnapshot(this.#db)
    if (this.#subscribers.size === 0) this.#snapshot = now
    if (this.#snapshot === now) return false
    return this.#handOut({ epoch: this.#epoch, prev: this.#snapshot, now, ...START })
  }

  async #handOut(from: Cursor): Promise<boolean> {
    this.#open = from
    let found = false
    for await (const events of this.#pages(from)) {
      found = true
      const batch = { ...spanOf(from), events }
      for (const subscriber of this.#subscribers) void subscriber.take(batch)
      const { tx, id } = events.at(-1)!
      this.#open = { ...from, tx, id }
    }
    this.#snapshot = from.now
    this.#open = undefined
    return found
  }

  /** Another cluster answers after a restore or a failover: the old numbers mean nothing there. */
  async #knowEpoch(): Promise<void> {
    if (performance.now() < this.#epochUntilMs) return
    const [cluster] = await readCluster(this.#db, {})
    const epoch = epochOf(this.#storeId, cluster ?? { system: '', timeline: '' })
    const another = this.#epoch !== '' && epoch !== this.#epoch
    if (another) {
      this.#snapshot = await readSnapshot(this.#db)
      this.#open = undefined
    }
    this.#epoch = epoch
    this.#epochUntilMs = performance.now() + CLUSTER_MS
    if (!another) return
    const at = cursorOf({ epoch, prev: this.#snapshot, now: this.#snapshot })
    for (const subscriber of this.#subscribers) subscriber.begin(at, true)
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#listening[Symbol.dispose]()
    this.#subscribers.clear()
  }
}

/**
 * To be called at every start, before anything is served. The transaction numbers of a log that was
 * restored from another cluster may lie ahead of this one's, and new events would count as seen. Such
 * numbers mean nothing here and become 0, which is before every cursor. Returns how many rows changed.
 */
export async function forgetForeignTransactions(database: Database): Promise<number> {
  // Nearly always there are none, and to plan the update over all months takes long.
  const { rows } = await sql<{ foreign: boolean }>`
    select exists (
      select from events where tx >= pg_snapshot_xmax(pg_current_snapshot())
    ) as foreign`.execute(database.db)
  if (!rows[0]!.foreign) return 0
  return database.unhurried(async () => {
    // Asked again: another process may have done it meanwhile, and written events of its own.
    const reset = await sql`
      update events set tx = '0'
      where tx <> '0'
        and exists (select from events where tx >= pg_snapshot_xmax(pg_current_snapshot()))`.execute(
      database.db,
    )
    return Number(reset.numAffectedRows ?? 0n)
  })
}

/** Whether the text is a snapshot as PostgreSQL writes it. It would refuse any other text. */
export function isSnapshot(text: string): boolean {
  if (!/^[1-9]\d{0,18}:[1-9]\d{0,18}:(\d{1,19}(,\d{1,19})*)?$/.test(text)) return false
  const [xmin = '', xmax = '', running = ''] = text.split(':')
  const inOrder = [xmin, ...running.split(',').filter(Boolean), xmax].map(BigInt)
  return inOrder.every(
    (one, index) => index === 0 || inOrder[index - 1]! < one || (index === 1 && inOrder[0] === one),
  )
}

async function readSnapshot(db: Db): Promise<string> {
  const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db)
  return rows[0]!.now
}

const xmaxOf = (snapshot: string): bigint => BigInt(snapshot.split(':')[1] ?? '0')
const spanOf = ({ epoch, prev, now }: Span): Span => ({ epoch, prev, now })
const cursorOf = (span: Span): Cursor => ({ ...spanOf(span), ...START })
const askedOf = ({ prev, now, tx, id }: Cursor): Asked => ({ prev, now, tx, id })

function epochOf(storeId: string, { system, timeline }: { system: string; timeline: string }) {
  const text = `${storeId} ${system} ${timeline}`
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
