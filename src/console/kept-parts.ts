/**
 * Parts of pages, kept from one page to the next: most rows of a tab that is refreshed are those that it had. A text
 * stands for as long as the ages in it do.
 */

/** Characters of all texts and of what they are kept by: some 10 MB, twenty long lists and their rows. */
const MOST_KEPT = 10_000_000
/** Longer texts are not kept: what they are made of says more often something new. */
const LONGEST = 60_000

interface Kept {
  text: string
  /** Milliseconds since 1970. */
  until: number
}

export class KeptParts {
  /** The one that was used last comes last. */
  readonly #kept = new Map<string, Kept>()
  #characters = 0
  readonly #now: () => number
  /** Until when each part that is being made now says the truth, one inside of the other. */
  readonly #making: number[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  /** What is being made says the truth until then at most, in milliseconds since 1970. */
  says(until: number): void {
    const last = this.#making.length - 1
    if (last >= 0) this.#making[last] = Math.min(this.#making[last]!, until)
  }

  /** The text of a part that is kept; what is being made holds it, and stands no longer than it. */
  find(key: string): string | undefined {
    const kept = this.#kept.get(key)
    if (!kept) return undefined
    if (kept.until <= this.#now()) {
      this.#drop(key, kept)
      return undefined
    }
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    this.says(kept.until)
    return kept.text
  }

  begin(): void {
    this.#making.push(Infinity)
  }

  /** Ends what was begun last; returns until when it says the truth. What holds it stands no longer. */
  end(): number {
    const until = this.#making.pop() ?? 0
    this.says(until)
    return until
  }

  /** Keeps a text if it still says the truth at another time. */
  keep(key: string, text: string, until: number): void {
    if (until <= this.#now() || key.length + text.length > LONGEST) return
    this.#kept.set(key, { text, until })
    this.#characters += key.length + text.length
    for (const [oldest, kept] of this.#kept) {
      if (this.#characters <= MOST_KEPT) break
      this.#drop(oldest, kept)
    }
  }

  #drop(key: string, { text }: Kept): void {
    this.#kept.delete(key)
    this.#characters -= key.length + text.length
  }
}

/** A name for a part and all that it is given; undefined when that is not plain data. */
export function keyOfData(part: string, given: unknown): string | undefined {
  const said = spelt(given)
  return said === undefined ? undefined : `${part}\0${said}`
}

/** Spells a value so that no two are spelt alike; undefined for what is not plain data. */
function spelt(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return `s${value.length}:${value}`
    case 'number':
      return Number.isFinite(value) ? `n${value};` : undefined
    case 'boolean':
      return value ? 't' : 'f'
    case 'undefined':
      return 'u'
    case 'object':
      return value === null ? '0' : Array.isArray(value) ? speltList(value) : speltFields(value)
    default:
      return undefined
  }
}

function speltList(values: readonly unknown[]): string | undefined {
  let text = `[${values.length}:`
  for (const value of values) {
    const said = spelt(value)
    if (said === undefined) return undefined
    text += said
  }
  return text
}

/** By this an object that is no plain data says in words what it does: another one of the same words does the same. */
export const SPELT = Symbol('spelt')

function speltFields(value: object): string | undefined {
  if (value instanceof Date) return `d${value.getTime()};`
  if (SPELT in value) {
    const said = spelt(value[SPELT])
    return said === undefined ? undefined : `k${said}`
  }
  const parent: unknown = Object.getPrototypeOf(value)
  if (parent !== Object.prototype && parent !== null) return undefined
  let text = '{'
  for (const [name, own] of Object.entries(value)) {
    const said = spelt(own)
    if (said === undefined) return undefined
    text += `${name.length}:${name}${said}`
  }
  return `${text}}`
}
