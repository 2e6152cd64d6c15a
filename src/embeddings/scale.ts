import type { Scale } from '../kernel/embedder.ts'

type Knots = Scale['knots']

/** A cosine on the common scale. */
export function similarityOf(knots: Knots, cosine: number): number {
  const [first] = knots
  if (!first || cosine <= first[0]) return 0
  for (let i = 1; i < knots.length; i++) {
    const [[low, from], [high, to]] = [knots[i - 1]!, knots[i]!]
    if (cosine <= high) return from + ((to - from) * (cosine - low)) / (high - low)
  }
  return 1
}

/** The cosine that is told so: the least one of several. */
export function cosineOf(knots: Knots, similarity: number): number {
  const [first] = knots
  if (!first || similarity <= first[1]) return first?.[0] ?? similarity
  for (let i = 1; i < knots.length; i++) {
    const [[low, from], [high, to]] = [knots[i - 1]!, knots[i]!]
    if (similarity <= to) return low + ((high - low) * (similarity - from)) / (to - from)
  }
  return 1
}
