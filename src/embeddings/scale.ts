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
