import { monotonicFactory } from 'ulid'

/** Random bytes for many ids at once: the library asks for each of an id's sixteen random letters. */
const drawn = new Uint8Array(4_096)
let used = drawn.length

function random(): number {
  if (used === drawn.length) {
    crypto.getRandomValues(drawn)
    used = 0
  }
  return drawn[used++]! / 256
}

/** Within one process ids never go back, even when two fall into one millisecond or the clock steps. */
const next = monotonicFactory(random)
let latest = 0

/** A new ULID: 26 characters, upper case, ordered by the time of its making. */
export function newId(now: Date): string {
  latest = Math.max(latest, now.getTime())
  return next(latest)
}

/** Whether the text has the form of a ULID. Upper case only, as ids are compared exactly. */
export const isId = (text: string): boolean => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)
