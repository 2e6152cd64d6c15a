import type { Logger } from 'pino'
import type { Static, TSchema } from 'typebox'
import type { Clock } from './clock.ts'
import type { Db } from './db.ts'
import type { Draft, EventKind } from './event-kind.ts'
import { eventRow, insertEventRows, type EventRow } from './event-rows.ts'
import { Heartbeats } from './heartbeats.ts'
import { newId } from './id.ts'
import type { Heartbeat, Telemetry } from './telemetry.ts'
import { databaseTrouble } from './trouble.ts'

/** A batch ends when nothing came for so long and nobody waits for an answer, or when it has waited for so long. */
const QUIET_MS = 20
const LONGEST_BATCH_MS = 250
const BATCH_ROWS = 200
const BATCH_BYTES = 1_048_576
const QUEUE_BYTES = 8 * 1_048_576
/** How long the writer waits for a database that is away before it tries again, at first and at most. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** How long an event waits for room in the queue, and how long a stop waits for the last batch. */
const LONGEST_WAIT_MS = 5_000
/** After counting there is rest for so many times as long, and for so long at most: it leaves the database to others. */
const COUNT_REST = 3
const LONGEST_COUNT_REST_MS = 250

interface Needs {
  db: Db
  clock: Clock
  log: Logger
  /** Whether somebody waits for an answer, which a batch would hold up. */
  isAnswering?(): boolean
  /** Brings what is counted of events in line with those that are written; returns whether that took any work. */
  count?(db: Db): Promise<boolean>
}

/** The one writer of transport events of this process. Close it, or its last batch is lost. */
export class BatchingTelemetry implements Telemetry {
  /** Events that no database would take, since the start. */
  dropped = 0
  readonly #needs: Needs
  readonly #heartbeats: Heartbeats
  #queue: EventRow[] = []
  /** Events whose payload is still to be made; undefined when that fails. */
  #unmade: (() => EventRow | undefined)[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  /** When the first and the last of the queue came, on the monotonic clock. */
  #came = { first: 0, last: 0 }
  #writing: Promise<void> | undefined
  #written = Promise.withResolvers<void>()
  /** Ends when counting may begin again. */
  #resting = Promise.resolve()
  #nextCount: Promise<void> | undefined
  #closed = false

  constructor(needs: Needs) {
    this.#needs = needs
    this.#heartbeats = new Heartbeats({ ...needs, gatherMs: QUIET_MS })
  }

  async push<Payload extends TSchema>(
    kind: EventKind<Payload>,
    draft: Draft<Static<Payload>>,
  ): Promise<void> {
    const row = this.#rowOf(kind, () => draft, performance.now())
    if (row && (this.#fits(row.json.length) || (await this.#room(kind.name, row.json.length)))) {
      this.#add(row)
    }
  }

  async pushLater<Payload extends TSchema>(
    kind: EventKind<Payload>,
    make: () => Draft<Static<Payload>>,
  ): Promise<void> {
    const atMs = performance.now()
    if (!this.#fits(0) && !(await this.#room(kind.name, 0))) return
    if (this.#unmade.length === 0) setImmediate(() => this.#makeAll())
    this.#unmade.push(() => this.#rowOf(kind, make, atMs))
  }

  seen(heartbeat: Heartbeat, id: string): void {
    this.#heartbeats.seen(heartbeat, id)
  }

  async flush(): Promise<void> {
    this.#makeAll()
    const last = this.#queue.at(-1)
    await this.#writing
    // A batch is cut by its size, so the last row may need several.
    while (last && this.#queue.includes(last) && !this.#closed) await this.#write()
    await Promise.all([this.#heartbeats.flush(), this.#count()])
  }

  /**
   * Who comes while it is counted, or rests from that, waits for the next time, all together: the one under way may
   * have passed by what they wait for.
   */
  #count(): Promise<void> {
    return (this.#nextCount ??= this.#countNext())
  }

  async #countNext(): Promise<void> {
    await this.#resting
    this.#nextCount = undefined
    const rested = Promise.withResolvers<void>()
    this.#resting = rested.promise
    const restMs = await this.#countNow()
    if (restMs === 0) rested.resolve()
    else setTimeout(rested.resolve, restMs).unref()
  }

  /** Returns for how long, in milliseconds, nothing is to be counted again. */
  async #countNow(): Promise<number> {
    const { count, db, log } = this.#needs
    const beganMs = performance.now()
    try {
      if (!(await count?.(db))) return 0
    } catch (error) {
      log.warn({ err: error }, 'what happened was not counted yet')
    }
    return Math.min(COUNT_REST * (performance.now() - beganMs), LONGEST_COUNT_REST_MS)
  }

  /** Writes what is queued, for at most five seconds. What is pushed later is not written. */
  async close(): Promise<void> {
    await Promise.race([this.flush(), pause(LONGEST_WAIT_MS)])
    this.#closed = true
    this.#written.resolve()
    clearTimeout(this.#timer)
    this.#heartbeats.close()
    const lost = this.#queue.length
    if (lost > 0) this.#needs.log.warn({ lost }, 'telemetry was closed before all was written')
    this.#queue = []
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= QUEUE_BYTES
  }

  /** Waits until there is room; false when there was none for too long, or when all is over. */
  async #room(what: string, bytes: number): Promise<boolean> {
    const deadline = performance.now() + LONGEST_WAIT_MS
    while (!this.#closed && !this.#fits(bytes)) {
      const left = deadline - performance.now()
      if (left <= 0) {
        this.#drop(what, new Error('the queue is full'))
        return false
      }
      await Promise.race([this.#written.promise, pause(left)])
    }
    return !this.#closed
  }

  #makeAll(): void {
    for (const make of this.#unmade.splice(0)) {
      const row = make()
      if (row) this.#add(row)
    }
  }

  #add(row: EventRow): void {
    if (this.#closed) return
    const nowMs = performance.now()
    this.#came = { first: this.#queue.length === 0 ? nowMs : this.#came.first, last: nowMs }
    this.#queue.push(row)
    this.#bytes += row.json.length
    this.#schedule()
  }

  #rowOf<Payload extends TSchema>(
    kind: EventKind<Payload>,
    make: () => Draft<Static<Payload>>,
    atMs: number,
  ): EventRow | undefined {
    try {
      const draft = make()
      return eventRow(kind, { ...draft, id: draft.id ?? newId(this.#needs.clock.now()) }, atMs)
    } catch (error) {
      this.#drop(kind.name, error)
      return undefined
    }
  }

  #schedule(): void {
    if (this.#writing) return
    if (this.#queue.length >= BATCH_ROWS || this.#bytes >= BATCH_BYTES) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      void this.#write()
    } else {
      this.#wait(QUIET_MS)
    }
  }

  #wait(forMs: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      const { first, last } = this.#came
      const nowMs = performance.now()
      const quietMs = this.#needs.isAnswering?.() ? nowMs : last
      const leftMs = Math.min(quietMs + QUIET_MS, first + LONGEST_BATCH_MS) - nowMs
      if (leftMs > 1) this.#wait(leftMs)
      else void this.#write()
    }, forMs)
  }

  /** One batch at a time; joins the one under way. Never rejects. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined
      if (this.#queue.length > 0 && !this.#closed) this.#schedule()
    })
    return this.#writing
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#nextBatch()
    await this.#insert(batch, false)
    this.#queue.splice(0, batch.length)
    this.#bytes = this.#queue.reduce((bytes, { json }) => bytes + json.length, 0)
    this.#written.resolve()
    this.#written = Promise.withResolvers()
  }

  #nextBatch(): EventRow[] {
    let bytes = 0
    const end = this.#queue.findIndex(({ json }, index) => {
      bytes += json.length
      return index > 0 && (index === BATCH_ROWS || bytes > BATCH_BYTES)
    })
    return this.#queue.slice(0, end < 0 ? undefined : end)
  }

  /** Tries again while the database is away; halves a batch that it refuses until the bad row is alone. */
  async #insert(rows: EventRow[], again: boolean): Promise<void> {
    if (rows.length === 0) return
    for (let wait = FIRST_PAUSE_MS; !this.#closed; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      try {
        return await insertEventRows(this.#needs.db, rows, again)
      } catch (error) {
        if (!databaseTrouble(error)) return this.#halve(rows, again, error)
        // The lost answer may have been a success, so from now on what is there is not written twice.
        again = true
        await pause(wait)
      }
    }
  }

  async #halve(rows: EventRow[], again: boolean, error: unknown): Promise<void> {
    if (rows.length === 1) return this.#drop(rows[0]!.id, error)
    const half = Math.ceil(rows.length / 2)
    await this.#insert(rows.slice(0, half), again)
    await this.#insert(rows.slice(half), again)
  }

  #drop(what: string, error: unknown): void {
    this.dropped++
    this.#needs.log.error({ err: error, event: what }, 'an event could not be written')
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
