/** Lines as bytes end them: a line of JSON may hold any other character that some call an end. */

/** A line that was too long to be kept: its beginning and its end. */
export interface TooLong {
  head: Buffer
  tail: Buffer
}

/** What is kept of either end of a line that is too long, in bytes. */
const ENDS = 4096

interface Limits {
  /** Of a line past this many bytes only the ends are kept. */
  longest: number
  /** Blank lines are left out unless they mean something. */
  keepBlank?: boolean
}

/** Yields each line without its end. */
export async function* lines(
  input: AsyncIterable<Buffer | string>,
  { longest, keepBlank = false }: Limits,
): AsyncGenerator<Buffer | TooLong> {
  let line = new Line(longest)
  for await (const piece of input) {
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece
    let from = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      line.add(bytes.subarray(from, end))
      yield* line.whole(keepBlank)
      line = new Line(longest)
      from = end + 1
    }
    line.add(bytes.subarray(from))
  }
  yield* line.whole(false)
}

export const isTooLong = (line: Buffer | TooLong): line is TooLong => !Buffer.isBuffer(line)

class Line {
  readonly #longest: number
  #parts: Buffer[] = []
  #size = 0
  #head: Buffer | undefined

  constructor(longest: number) {
    this.#longest = longest
  }

  add(part: Buffer): void {
    if (part.length === 0) return
    this.#parts.push(part)
    this.#size += part.length
    if (this.#size <= this.#longest) return
    const held = Buffer.concat(this.#parts)
    // Copies: a slice would keep all of the line.
    this.#head ??= Buffer.from(held.subarray(0, ENDS))
    this.#parts = [Buffer.from(held.subarray(-ENDS))]
  }

  *whole(keepBlank: boolean): Generator<Buffer | TooLong> {
    const bytes = Buffer.concat(this.#parts)
    if (this.#head) yield { head: this.#head, tail: bytes.subarray(-ENDS) }
    else if (keepBlank || !isBlank(bytes)) yield bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes
  }
}

const isBlank = (bytes: Buffer): boolean =>
  bytes.every((byte) => byte === 32 || byte === 9 || byte === 13)
