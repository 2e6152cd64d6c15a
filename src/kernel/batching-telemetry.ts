import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Static, TSchema } from 'typebox'
import type { Clock } from './clock.ts'
import type { Draft, EventKind } from './event-kind.ts'
import { newId } from './id.ts'
import type { Db } from './kernel.ts'
import type { Telemetry } from './telemetry.ts'
import { databaseTrouble } from './trouble.ts'

const BATCH_MS = 20
const BATCH_ROWS = 200
const BATCH_BYTES = 1_048_576
/** Who was seen is written no more often: it is told to the second. */
const SEEN_MS = 1_000
const QUEUE_BYTES = 8 * 1_048_576
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
const PATIENCE_MS = 5_000

interface Row {
  id: string
  /** The row as JSON, storable; what is queued is counted by it. */
  json: string
  /** Monotonic, in milliseconds: the event's own time is that of its queueing. */
  at: number
}

interface Needs {
  db: Db
  clock: Clock
  log: Logger
}

/** The one writer of transport events of this process. Close it, or its last 20 ms are lost. */
export class BatchingTelemetry implements Telemetry {
  /** Events that no database would take, since the start. */
  dropped = 0
  readonly #needs: Needs
  #queue: Row[] = []
  /** Events that are still to be worded; undefined: one that cannot be. */
  #unworded: (() => Row | undefined)[] = []
  #bytes = 0
  #sessions = new Set<string>()
  #connections = new Set<string>()
  /** Who was seen is written by a timer of its own; when it was last, and what is under way. */
  #seenTimer: NodeJS.Timeout | undefined
  #marked = -Infinity
  #marking: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #written = Promise.withResolvers<void>()
  #over = false

  constructor(needs: Needs) {
    this.#needs = needs
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
    word: () => Draft<Static<Payload>>,
  ): Promise<void> {
    const at = performance.now()
    if (!this.#fits(0) && !(await this.#room(kind.name, 0))) return
    if (this.#unworded.length === 0) setImmediate(() => this.#wordAll())
    this.#unworded.push(() => this.#rowOf(kind, word, at))
  }

  seen({ session, connection }: { session?: string; connection?: string }): void {
    if (session) this.#sessions.add(session)
    if (connection) this.#connections.add(connection)
    if (this.#over) return
    const wait = Math.max(BATCH_MS, this.#marked + SEEN_MS - performance.now())
    this.#seenTimer ??= setTimeout(() => void this.#mark(), wait)
  }

  async flush(): Promise<void> {
    this.#wordAll()
    const last = this.#queue.at(-1)
    await this.#writing
    // A batch is cut by its size, so the last row may need several.
    while (last && this.#queue.includes(last) && !this.#over) await this.#write()
    await this.#mark()
  }

  /** Writes what is queued, for at most five seconds. What is pushed later is not written. */
  async close(): Promise<void> {
    await Promise.race([this.flush(), pause(PATIENCE_MS)])
    this.#over = true
    this.#written.resolve()
    clearTimeout(this.#timer)
    clearTimeout(this.#seenTimer)
    const lost = this.#queue.length
    if (lost > 0) this.#needs.log.warn({ lost }, 'telemetry was closed before all was written')
    this.#queue = []
  }

  #fits(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= QUEUE_BYTES
  }

  /** Waits until there is room; false when there was none for too long, or when all is over. */
  async #room(what: string, bytes: number): Promise<boolean> {
    const patience = performance.now() + PATIENCE_MS
    while (!this.#over && !this.#fits(bytes)) {
      const left = patience - performance.now()
      if (left <= 0) {
        this.#drop(what, new Error('the queue is full'))
        return false
      }
      await Promise.race([this.#written.promise, pause(left)])
    }
    return !this.#over
  }

  #wordAll(): void {
    for (const word of this.#unworded.splice(0)) {
      const row = word()
      if (row) this.#add(row)
    }
  }

  #add(row: Row): void {
    if (this.#over) return
    this.#queue.push(row)
    this.#bytes += row.json.length
    this.#schedule()
  }

  #rowOf<Payload extends TSchema>(
    kind: EventKind<Payload>,
    word: () => Draft<Static<Payload>>,
    at: number,
  ): Row | undefined {
    try {
      const { by, project, item, payload, id = newId(this.#needs.clock.now()) } = word()
      const session = by.session || null
      const { transport } = kind
      const json = storable(
        JSON.stringify({ id, kind: kind.name, transport, session, project, item, payload }),
      )
      return { id, json, at }
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
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined
        void this.#write()
      }, BATCH_MS)
    }
  }

  /** One batch at a time; joins the one under way. Never rejects. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined
      if (this.#queue.length > 0 && !this.#over) this.#schedule()
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

  #nextBatch(): Row[] {
    let bytes = 0
    const end = this.#queue.findIndex(({ json }, index) => {
      bytes += json.length
      return index > 0 && (index === BATCH_ROWS || bytes > BATCH_BYTES)
    })
    return this.#queue.slice(0, end < 0 ? undefined : end)
  }

  /** Tries again while the database is away; halves a batch that it refuses until the bad row is alone. */
  async #insert(rows: Row[], again: boolean): Promise<void> {
    if (rows.length === 0) return
    for (let wait = FIRST_PAUSE_MS; !this.#over; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
      try {
        return await insertEvents(this.#needs.db, rows, again)
      } catch (error) {
        if (!databaseTrouble(error)) return this.#halve(rows, again, error)
        // The lost answer may have been a success, so from now on what is there is not written twice.
        again = true
        await pause(wait)
      }
    }
  }

  async #halve(rows: Row[], again: boolean, error: unknown): Promise<void> {
    if (rows.length === 1) return this.#drop(rows[0]!.id, error)
    const half = Math.ceil(rows.length / 2)
    await this.#insert(rows.slice(0, half), again)
    await this.#insert(rows.slice(half), again)
  }

  /** Writes who was seen until now, behind what is under way. */
  #mark(): Promise<void> {
    clearTimeout(this.#seenTimer)
    this.#seenTimer = undefined
    this.#marking = this.#marking.then(() => this.#markSeen())
    return this.#marking
  }

  async #markSeen(): Promise<void> {
    const [sessions, connections] = [[...this.#sessions].sort(), [...this.#connections].sort()]
    this.#sessions.clear()
    this.#connections.clear()
    this.#marked = performance.now()
    try {
      if (sessions.length > 0) await touchSessions(this.#needs.db, sessions)
      if (connections.length > 0) await touchConnections(this.#needs.db, connections)
    } catch (error) {
      // Those who live are seen again.
      this.#needs.log.warn({ err: error }, 'heartbeats were not written')
    }
  }

  #drop(what: string, error: unknown): void {
    this.dropped++
    this.#needs.log.error({ err: error, event: what }, 'an event could not be written')
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds).unref())

/** JSON text without what jsonb refuses or silently changes: NUL and half surrogate pairs become U+FFFD. */
export function storable(json: string): string {
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json
  // Every escape is consumed whole, so that an escaped backslash before `u0000` stays text.
  return json.replaceAll(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g, (escape) =>
    /^\\u(?:0000|d[89a-f])/.test(escape) ? '\ufffd' : escape,
  )
}

async function insertEvents(db: Db, rows: Row[], again: boolean): Promise<void> {
  const now = performance.now()
  const sorted = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const json = sorted.map((row) => `{"age":${(now - row.at).toFixed(3)},"row":${row.json}}`)
  const seldom = sql`where not exists (
    select from events e where e.id = r.row ->> 'id'
      and e.ts > loam_now() - interval '1 hour' - r.age * interval '1 millisecond')`
  await sql`
    insert into events (id, ts, kind, transport, session_id, project, item_id, payload)
    select r.row ->> 'id', loam_now() - r.age * interval '1 millisecond', r.row ->> 'kind',
           (r.row -> 'transport')::boolean,
           r.row ->> 'session', r.row ->> 'project', r.row ->> 'item', r.row -> 'payload'
    from jsonb_to_recordset(${`[${json.join(',')}]`}::jsonb) as r (age float8, row jsonb)
    ${again ? seldom : sql``}`.execute(db)
}

/** No more than once a second each: a busy agent is not a row rewritten with every call. */
async function touchSessions(db: Db, ids: string[]): Promise<void> {
  await sql`
    with due as (
      select id from sessions
      where id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))
        and status = 'active' and updated_at < loam_now() - interval '1 second'
      order by id for no key update)
    update sessions set updated_at = loam_now() from due where sessions.id = due.id`.execute(db)
}

async function touchConnections(db: Db, ids: string[]): Promise<void> {
  await sql`
    with due as (
      select id from mcp_sessions
      where id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))
        and last_seen < loam_now() - interval '1 second'
      order by id for no key update)
    update mcp_sessions set last_seen = loam_now() from due where mcp_sessions.id = due.id`.execute(
    db,
  )
}
