import { monotonicFactory } from 'ulid'

/** Within one process ids never go back, even when two fall into one millisecond or the clock steps. */
const next = monotonicFactory()
let latest = 0

/** A new ULID: 26 characters, upper case, ordered by the time of its making. */
export function newId(now: Date): string {
  latest = Math.max(latest, now.getTime())
  return next(latest)
}

/** Whether the text has the form of a ULID. Upper case only, as ids are compared exactly. */
export const isId = (text: string): boolean => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)
