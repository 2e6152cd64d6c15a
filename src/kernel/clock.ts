/**
 * This machine's clock, for ids and for display. Order and expiry use the database's clock instead
 * (`loam_now()` in SQL), as the clocks of several machines never agree.
 */
export interface Clock {
  /** Now, to the millisecond. */
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** RFC 3339, UTC, milliseconds: the one form of a time on the wire and in files. */
export const wireTime = (time: Date): string => time.toISOString()

const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** The moment an RFC 3339 time names, to the millisecond; undefined for any other text. */
export function parseTime(text: string): Date | undefined {
  const [, day] = RFC_3339.exec(text) ?? []
  if (day === undefined) return undefined
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // A day that its month does not have would be taken for one of the next.
  if (Number.isNaN(midnight) || !wireTime(new Date(midnight)).startsWith(day)) return undefined
  return new Date(text.toUpperCase().replace(' ', 'T'))
}
