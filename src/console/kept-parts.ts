/**
 * The rows of lists, kept from one page to the next: most rows of a tab that is refreshed are those that it had. A text
 * stands for as long as the ages in it do.
 */
import { createHash } from 'node:crypto'

/** Some 9 MB: thirty long lists. */
const MOST_KEPT = 6_000
/** Longer texts are not kept: what they are made of says more often something new. */
const LONGEST = 8_000

interface Kept {
  text: string
  /** Milliseconds since 1970. */
  until: number
}

export class KeptParts {
  /** The one that was used last comes last. */
  readonly #kept = new Map<string, Kept>()
  readonly #now: () => number
  /** Until when what is being made now says the truth; undefined while nothing is that could be kept. */
  #until: number | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  /** Whether a part is being made that will be kept: what it is made of need not be kept beside it. */
  get isMaking(): boolean {
    return this.#until !== undefined
  }

  /** What is being made says the truth until then at most, in milliseconds since 1970. */
  says(until: number): void {
    if (this.#until !== undefined) this.#until = Math.min(this.#until, until)
  }

  find(key: string): string | undefined {
    const kept = this.#kept.get(key)
    if (!kept) return undefined
    this.#kept.delete(key)
    if (kept.until <= this.#now()) return undefined
    this.#kept.set(key, kept)
    return kept.text
  }

  begin(): void {
    this.#until = Infinity
  }

  /** Ends what was begun, and keeps its text if that still says the truth at another time. */
  end(key: string, text: string | undefined): void {
    const until = this.#until ?? 0
    this.#until = undefined
    if (text === undefined || text.length > LONGEST || until <= this.#now()) return
    this.#kept.set(key, { text, until })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest)
  }
}

/** A name for a part and all that it is given; undefined when that is not plain data. */
export function keyOfData(part: string, given: unknown): string | undefined {
  try {
    return createHash('sha256')
      .update(`${part}\0`)
      .update(JSON.stringify(given, plain))
      .digest('base64')
  } catch (error) {
    if (error === NOT_PLAIN) return undefined
    throw error
  }
}

const NOT_PLAIN = new Error('not plain data')

/** Of `JSON.stringify`: refuses what it would leave out or turn into something else. */
function plain(this: unknown, name: string, value: unknown): unknown {
  const own = (this as Record<string, unknown>)[name]
  if (own instanceof Date) return own.getTime()
  switch (typeof own) {
    case 'function':
    case 'symbol':
    case 'bigint':
      throw NOT_PLAIN
    case 'number':
      if (!Number.isFinite(own)) throw NOT_PLAIN
      return value
    case 'object': {
      if (own === null || Array.isArray(own)) return value
      const parent: unknown = Object.getPrototypeOf(own)
      if (parent !== Object.prototype && parent !== null) throw NOT_PLAIN
      return value
    }
    default:
      return value
  }
}
