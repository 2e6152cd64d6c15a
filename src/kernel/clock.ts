/**
 * This machine's clock, for ids and for display. What orders or expires asks the database instead
 * (`loam_now()` in SQL): the clocks of several machines never agree.
 */
export interface Clock {
  /** Now, to the millisecond. */
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** RFC 3339, UTC, milliseconds: the one form of a time on the wire and in files. */
export const wireTime = (time: Date): string => time.toISOString()
