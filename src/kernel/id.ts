import { monotonicFactory } from 'ulid'

/** Random bytes for many ids at once: the library asks for each of an id's sixteen random letters. */
const drawn = new Uint8Array(4_096)
let used = drawn.length

function drawByte(): number {
  if (used === drawn.length) {
    crypto.getRandomValues(drawn)
    used = 0
  }
  return drawn[used++]! / 256
}

/** Within one process ids never go back, even when two fall into one millisecond or the clock steps. */
function sequence(draw: () => number): (now: Date) => string {
  const next = monotonicFactory(draw)
  let latest = 0
  return (now) => {
    latest = Math.max(latest, now.getTime())
    return next(latest)
  }
}

let draw = drawByte
const ids = sequence(() => draw())
const files = sequence(drawByte)

/** A new ULID: 26 characters, upper case, ordered by the time of its making. */
export const newId = (now: Date): string => ids(now)

/** The same for what this machine keeps for a moment: by its own clock, whatever the store's says. */
export const newFileId = (): string => files(new Date())

/**
 * Draws the random part of `newId` from here; undefined: from chance again. Only a demo store that is being
 * filled does so: its ids come out the same each time, and anybody can tell them.
 */
export function drawIdsFrom(given: (() => number) | undefined): void {
  draw = given ?? drawByte
}

/** Whether the text has the form of a ULID. Upper case only, as ids are compared exactly. */
export const isId = (text: string): boolean => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)
