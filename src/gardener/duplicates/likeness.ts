/** How likely two memories say the same. */
import type { Features } from './features.ts'

/** How rare a lexeme is in the store: what many memories say tells little of any two. */
export type Rarity = (lexeme: string) => number

/** What speaks for and against two memories that say the same, each 0 to 1. */
export const signsOf = (a: Features, b: Features, rarity: Rarity) => ({
  words: shared(a.words, b.words, rarity),
  letters: dice(a.trigrams, b.trigrams),
  names: share(a.names, b.names),
  values: share(a.values, b.values),
  otherValues: apart(a.values, b.values),
  otherSides: takeSides(a.sides, b.sides),
  denies: a.denies === b.denies ? 0 : 1,
})
export type Signs = ReturnType<typeof signsOf>

/** The words that both have, of those that any of the two has, each for as much as it tells. */
function shared(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
  rarity: Rarity,
): number {
  let [both, any] = [0, 0]
  for (const [lexeme, weight] of a) {
    const other = b.get(lexeme) ?? 0
    both += Math.min(weight, other) * rarity(lexeme)
    any += Math.max(weight, other) * rarity(lexeme)
  }
  for (const [lexeme, weight] of b) if (!a.has(lexeme)) any += weight * rarity(lexeme)
  return any > 0 ? both / any : 0
}

const common = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number => {
  let n = 0
  for (const one of a) if (b.has(one)) n++
  return n
}

const dice = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number =>
  a.size + b.size === 0 ? 0 : (2 * common(a, b)) / (a.size + b.size)

/** Of those that the one with fewer has. Half when one has none: that says nothing. */
const share = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  a.size === 0 || b.size === 0 ? 0.5 : common(a, b) / Math.min(a.size, b.size)

/** Whether each has some that the other has not: how many, of all. */
function apart(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = common(a, b)
  const [onlyA, onlyB] = [a.size - both, b.size - both]
  return onlyA === 0 || onlyB === 0 ? 0 : Math.min(onlyA, onlyB) / Math.min(a.size, b.size)
}

/** Whether one takes a side and the other takes another one of the same pair, and neither takes both. */
function takeSides(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  for (const side of a) {
    if (b.has(side)) continue
    const pair = side.slice(0, side.indexOf(':') + 1)
    const others = [...b].filter((other) => other.startsWith(pair))
    if (others.length > 0 && !others.some((other) => a.has(other))) return 1
  }
  return 0
}
