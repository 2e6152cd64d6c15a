/** The known name that a misspelt one was probably meant to be, or undefined when none is near. */
export function closest(name: string, known: readonly string[]): string | undefined {
  const wanted = name.toLowerCase()
  const near = known
    .map((candidate) => ({ candidate, steps: distance(wanted, candidate.toLowerCase()) }))
    .filter(({ candidate, steps }) => steps <= Math.max(1, Math.floor(candidate.length / 3)))
  return near.toSorted((a, b) => a.steps - b.steps)[0]?.candidate
}

/** Insertions, removals, replacements and swaps of neighbours between two texts. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let steps = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        steps = Math.min(steps, before[j - 2]! + 1)
      row.push(steps)
    }
    ;[before, last] = [last, row]
  }
  return last[b.length]!
}
