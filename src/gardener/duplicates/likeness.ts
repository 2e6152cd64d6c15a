/** How likely two memories say the same. */
import type { Features } from './features.ts'

/** How rare a lexeme is in the store: what many memories say tells little of any two. */
export type Rarity = (lexeme: string) => number

/** What speaks for and against two memories that say the same, each 0 to 1. */
export function signsOf(a: Features, b: Features, rarity: Rarity) {
  const whole = overlap(a.all, b.all, rarity)
  const head = overlap(a.head, b.head, rarity)
  return {
    jaccard: whole.jaccard,
    contained: whole.contained,
    head: head.contained,
    headJaccard: head.jaccard,
    description: dice(a.trigrams, b.trigrams),
    name: dice(a.nameTrigrams, b.nameTrigrams),
    names: share(a.names, b.names),
    values: share(a.values, b.values),
    otherValues: apart(a.values, b.values),
    otherNames: apart(a.names, b.names),
    otherSides: takeSides(a.sides, b.sides),
    denies: a.denies === b.denies ? 0 : 1,
  }
}
export type Signs = ReturnType<typeof signsOf>

interface Overlap {
  jaccard: number
  contained: number
}

function overlap(
  a: ReadonlyMap<string, number>,
  b: ReadonlyMap<string, number>,
  rarity: Rarity,
): Overlap {
  let [shared, inA, inB] = [0, 0, 0]
  for (const [lexeme, weight] of a) {
    const worth = rarity(lexeme)
    inA += weight * worth
    const other = b.get(lexeme)
    if (other !== undefined) shared += Math.min(weight, other) * worth
  }
  for (const [lexeme, weight] of b) inB += weight * rarity(lexeme)
  const least = Math.min(inA, inB)
  const union = inA + inB - shared
  return { jaccard: union > 0 ? shared / union : 0, contained: least > 0 ? shared / least : 0 }
}

const common = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number => {
  let n = 0
  for (const one of a) if (b.has(one)) n++
  return n
}

const dice = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
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
