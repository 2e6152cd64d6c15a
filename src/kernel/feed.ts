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

/** Between which snapshots of the database some events became visible. */
export interface Span {
  /** Of this store on this cluster and timeline: cursors of another epoch mean nothing here. */
  epoch: string
  prev: string
  now: string
}

/** Where a subscriber stopped: behind the row (tx, id) of the batch between the two snapshots. */
export interface Cursor extends Span {
  tx: string
  id: string
}

/** Some events in order, at least one, and between which snapshots they became visible. */
export interface Batch extends Span {
  events: readonly FeedEvent[]
}

export interface Subscriber {
  /** Resolves when it can take more, which a replay waits for and the tail does not. Never rejects. */
  take(batch: Batch): Promise<void>
  /**
   * From `at` on it is part of the tail. With `lost`, something before was missed, and what it knows
   * must be read again. This may come again while it follows, when the log has become another one.
   */
  begin(at: Cursor, lost: boolean): void
}

/** Hands every recorded event, once, to each subscriber. */
export interface Feed {
  /** How many follow at the moment. */
  readonly subscribers: number
  /**
   * Follows from now on, or from the cursor on; `unknown` is a cursor that could not be parsed.
   * Resolves when the subscriber is up to date and part of the tail, or has left.
   *
   * @throws when the database is away
   */
  follow(subscriber: Subscriber, from?: Cursor | 'unknown'): Promise<void>
  leave(subscriber: Subscriber): void
}
