/** A text by its lines, of which a reader takes as many as it has room for. */

/** A part of a text: from … to, in UTF-16 units. */
export interface Range {
  from: number
  to: number
}

export interface Lines extends Range {
  /** How many lines the part has. */
  count: number
  /** How many there are to be read. */
  of: number
}

/** In UTF-16 units. What is longer counts as several lines, so that any of them fits into an answer. */
const LONGEST_LINE = 8_000

/**
 * Returns the lines of a range from the one with the index `offset` on: `limit` at most, and as many as fit
 * into `room` bytes. Their ends belong to them, so that lines behind one another are the text, byte for byte.
 */
export function linesOf(
  text: string,
  { from, to }: Range,
  { offset = 0, limit = Infinity }: { offset?: number | undefined; limit?: number | undefined },
  room: number,
): Lines {
  const window = { from: to, to, count: 0 }
  let left = room
  let of = 0
  let lineEnd = from
  for (let at = from; at < to; of++) {
    if (at >= lineEnd) lineEnd = endOfLine(text, at, to)
    const end = pieceEnd(text, at, lineEnd)
    if (of === offset) window.from = window.to = at
    if (of === offset + window.count && window.count < limit) {
      left -= sizeOf(text.slice(at, end))
      if (left >= 0) {
        window.to = end
        window.count++
      }
    }
    at = end
  }
  return { ...window, of }
}

function endOfLine(text: string, from: number, to: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 || end >= to ? to : end + 1
}

/** Never between the halves of a character. */
function pieceEnd(text: string, from: number, lineEnd: number): number {
  if (lineEnd - from <= LONGEST_LINE) return lineEnd
  const end = from + LONGEST_LINE
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end
}

/** In bytes; characters that JSON spells in six count for three. */
const sizeOf = (line: string): number =>
  Math.max(Buffer.byteLength(line), Buffer.byteLength(JSON.stringify(line)) / 2 - 1)
