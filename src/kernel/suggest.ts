/**
 * The name that a misspelt one was probably meant to be, or undefined.
 *
 * A name that differs only by case comes first; else the nearest within two changes (one, when
 * either name has at most four characters); of equals the first in order.
 */
export function suggest(name: string, known: readonly string[]): string | undefined {
  const sorted = [...known].sort()
  const sameLetters = sorted.find((each) => each.toLowerCase() === name.toLowerCase())
  if (sameLetters) return sameLetters
  const near = sorted
    .map((each) => ({ each, steps: changes(name, each) }))
    .filter(({ each, steps }) => steps <= (Math.min(each.length, name.length) <= 4 ? 1 : 2))
  return near.sort((a, b) => a.steps - b.steps)[0]?.each
}

/** The names within two changes, the nearest first; of two without a letter in common neither is near. */
export function nearest(name: string, known: readonly string[]): string[] {
  const near = [...known]
    .sort()
    .map((each) => ({ each, steps: changes(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ each, steps }) => steps <= MOST && steps < Math.min(each.length, name.length))
  return near.sort((a, b) => a.steps - b.steps).map(({ each }) => each)
}

/** Changes from which on two names have nothing to do with each other are one more. */
const MOST = 2

/** No name that there is has more units; comparing takes as long as the product of both. */
const LONGEST = 200

/** Insertions, removals and replacements between two names; names farther apart are not compared. */
function changes(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MOST || a.length > LONGEST) return Infinity
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, replaced))
    }
    if (Math.min(...row) > MOST) return Infinity
    last = row
  }
  return last[b.length]!
}
