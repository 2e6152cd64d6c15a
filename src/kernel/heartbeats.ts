import type { Logger } from 'pino'
import type { Db } from './db.ts'
import type { Heartbeat } from './telemetry.ts'

/** A row is marked no more often: a time of day is shown to the second. */
const INTERVAL_MS = 1_000

interface Needs {
  db: Db
  log: Logger
  /** The shortest time for which marks are gathered. */
  gatherMs: number
}

/** Gathers which rows were seen, and marks those of each table with one statement a second at most. */
export class Heartbeats {
  readonly #needs: Needs
  readonly #seen = new Map<Heartbeat, Set<string>>()
  #timer: NodeJS.Timeout | undefined
  #lastMs = -Infinity
  #writing: Promise<void> = Promise.resolve()
  #closed = false

  constructor(needs: Needs) {
    this.#needs = needs
  }

  seen(heartbeat: Heartbeat, id: string): void {
    const ids = this.#seen.get(heartbeat)
    if (ids) ids.add(id)
    else this.#seen.set(heartbeat, new Set([id]))
    if (this.#closed) return
    const waitMs = Math.max(this.#needs.gatherMs, this.#lastMs + INTERVAL_MS - performance.now())
    this.#timer ??= setTimeout(() => void this.flush(), waitMs)
  }

  /** Marks what was seen until now, after the marks that are being written. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#mark())
    return this.#writing
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  async #mark(): Promise<void> {
    const seen = [...this.#seen]
    this.#seen.clear()
    this.#lastMs = performance.now()
    try {
      for (const [heartbeat, ids] of seen) await heartbeat.mark(this.#needs.db, [...ids].sort())
    } catch (error) {
      // Whatever is alive is seen again.
      this.#needs.log.warn({ err: error }, 'heartbeats were not written')
    }
  }
}
