import type { Static, TSchema } from 'typebox'
import type { Draft, EventKind } from './event-kind.ts'

/**
 * The batching writer of transport events: tool calls, recall hits and misses, hook prompts.
 *
 * Answers never wait for it. Each process has one; kill -9 may lose its last 20 ms and nothing else.
 */
export interface Telemetry {
  /** Queues one event. Waits only while 8 MiB are queued already. */
  push<Payload extends TSchema>(
    kind: EventKind<Payload>,
    draft: Draft<Static<Payload>>,
  ): Promise<void>
  /** The same for an event that takes time to word: it is worded when the present answer has gone out. */
  pushLater<Payload extends TSchema>(
    kind: EventKind<Payload>,
    word: () => Draft<Static<Payload>>,
  ): Promise<void>
  /** Marks a session or a connection as seen now, with the next batch. */
  seen(what: { session?: string; connection?: string }): void
  /** Resolves when everything queued before the call is in the database (or was dropped as unwritable). */
  flush(): Promise<void>
}
