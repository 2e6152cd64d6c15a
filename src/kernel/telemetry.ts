import type { Static, TSchema } from 'typebox'
import type { Db } from './db.ts'
import type { Draft, EventKind } from './event-kind.ts'

/** How the rows of one table are marked as alive. The owner of the table declares it. */
export interface Heartbeat {
  /** Marks those of the rows that are due, with one statement. The ids are sorted. */
  mark(db: Db, ids: readonly string[]): Promise<void>
}

/**
 * The batching writer of transport events (tool calls, recall hits and misses, hook prompts) and of what was read.
 *
 * Answers never wait for it. Each process has one. A kill -9 may lose its last batch and nothing else.
 */
export interface Telemetry {
  /** Queues one event. Waits only while 8 MiB are queued already. */
  push<Payload extends TSchema>(
    kind: EventKind<Payload>,
    draft: Draft<Static<Payload>>,
  ): Promise<void>
  /** The same for an event whose payload takes time to make: that waits until the answer has gone out. */
  pushLater<Payload extends TSchema>(
    kind: EventKind<Payload>,
    make: () => Draft<Static<Payload>>,
  ): Promise<void>
  /** Marks a row as alive now, with the next batch. */
  seen(heartbeat: Heartbeat, id: string): void
  /**
   * Resolves when everything queued before the call is in the database (or was dropped as unwritable), and is counted
   * in what pages and agents are told of it.
   */
  flush(): Promise<void>
}
