/**
 * The code of one function of WebAssembly, as far as its jumps go.
 *
 * https://webassembly.github.io/spec/core/binary/instructions.html
 */

/** What a jump can lead to: the end of a block or of an `if`, the beginning of a loop, the end of the function. */
export interface Label {
  kind: 'function' | 'block' | 'loop' | 'if'
  /** Whether nothing but the place goes along with a jump to it. */
  bare: boolean
}

/** An instruction that opens or closes a label, or jumps; the others stand between two of them. */
export interface Step {
  /** Where it begins and ends, in bytes. */
  at: number
  end: number
  opens?: Label
  closes?: Label
  jumps?: { how: 'always' | 'maybe' | 'by number'; to: Label[] }
}

const VOID = 0x40

/** Reads numbers of the format, each of which says with its last byte that it ends. */
export class Reader {
  readonly bytes: Uint8Array
  at: number
  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes
    this.at = at
  }

  /** The next byte; behind the end, 0. */
  byte(): number {
    return this.bytes[this.at++] ?? 0
  }

  /** An unsigned number. */
  number(): number {
    let value = 0
    for (let shift = 1; ; shift *= 128) {
      const byte = this.byte()
      value += (byte % 128) * shift
      if (byte < 128) return value
    }
  }

  /** Passes over so many numbers, signed or not. */
  skip(numbers = 1): void {
    for (let left = numbers; left > 0; left--) while (this.byte() >= 128);
  }
}

/** Writes as the format has it, up to so many bytes. */
export class Writer {
  readonly #bytes: Uint8Array
  #at = 0
  constructor(most: number) {
    this.#bytes = new Uint8Array(most)
  }

  put(...bytes: number[]): this {
    for (const byte of bytes) this.#bytes[this.#at++] = byte
    return this
  }

  /** An unsigned number. */
  number(value: number): this {
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = 128 + (rest % 128)
    this.#bytes[this.#at++] = rest
    return this
  }

  copy(from: Uint8Array, start: number, end: number): this {
    for (let at = start; at < end; at++) this.#bytes[this.#at++] = from[at]!
    return this
  }

  /** What was written; undefined when it did not fit. */
  whole(): Uint8Array | undefined {
    return this.#at > this.#bytes.length ? undefined : this.#bytes.subarray(0, this.#at)
  }
}

/** Returns the steps of a function's body, or undefined when it is not whole or holds what is not known here. */
export function stepsOf(body: Uint8Array): Step[] | undefined {
  const read = new Reader(body, 0)
  for (let groups = read.number(); groups > 0; groups--) read.skip(2)
  const open: Label[] = [{ kind: 'function', bare: false }]
  const steps: Step[] = []
  const label = (): Label => open.at(-1 - read.number())!
  while (read.at < body.length) {
    const at = read.at
    const code = read.byte()
    const step = (what: Partial<Step>): void => void steps.push({ at, end: read.at, ...what })
    const kind = LABELS[code]
    if (kind) {
      const bare = body[read.at] === VOID
      read.skip()
      const opens = { kind, bare }
      open.push(opens)
      step({ opens })
    } else if (code === END) {
      const closes = open.pop()!
      step({ closes })
    } else if (code === JUMP || code === JUMP_IF) {
      const to = [label()]
      step({ jumps: { how: code === JUMP ? 'always' : 'maybe', to } })
    } else if (code === JUMP_BY_NUMBER) {
      const to = Array.from({ length: read.number() + 1 }, label)
      step({ jumps: { how: 'by number', to } })
    } else if (!passOver(read, code)) return undefined
  }
  return open.length === 0 ? steps : undefined
}

const LABELS: Partial<Record<number, Label['kind']>> = { 0x02: 'block', 0x03: 'loop', 0x04: 'if' }
const END = 0x0b
export const JUMP = 0x0c
const JUMP_IF = 0x0d
export const JUMP_BY_NUMBER = 0x0e
/** A block that takes nothing and leaves nothing, opened and closed. */
export const OPEN_BLOCK = [0x02, VOID]
export const CLOSE_BLOCK = END
/** An instruction that does nothing. */
export const NOTHING = 0x01

/** Passes over what stands behind the code of an instruction; false when nobody here knows. */
function passOver(read: Reader, code: number): boolean {
  if (ALONE.has(code) || (code >= 0x45 && code <= 0xc4)) return true
  if (code === 0x43 || code === 0x44) read.at += code === 0x43 ? 4 : 8
  else if (code === 0xfc) return passOverLonger(read)
  else if (code === 0x11 || (code >= 0x28 && code <= 0x3e)) read.skip(2)
  else if (ONE_NUMBER.has(code) || (code >= 0x20 && code <= 0x26)) read.skip()
  else return false
  return true
}

/** unreachable, nop, else, return, drop, select. */
const ALONE = new Set([0x00, 0x01, 0x05, 0x0f, 0x1a, 0x1b])
/** call, memory.size, memory.grow, i32.const, i64.const. */
const ONE_NUMBER = new Set([0x10, 0x3f, 0x40, 0x41, 0x42])

/** Conversions that do not trap, and the copying of memory. */
function passOverLonger(read: Reader): boolean {
  const code = read.number()
  const numbers = code < 8 ? 0 : { 8: 2, 9: 1, 10: 2, 11: 1 }[code]
  if (numbers === undefined) return false
  read.skip(numbers)
  return true
}
