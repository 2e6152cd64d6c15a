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

/**
 * The spread of similarities in that of directions by chance: from what on a model begins to tell texts apart, and from what
 * on it is trusted in full.
 */
const TELLS = 1.2
const TRUSTED = 2
/** How much the meaning counts beside the words, at most, where that was not tried. */
export const UNTRIED = 0.3

/**
 * What a model is worth that was not tried, by how far apart it finds texts that have nothing to do with each other. One to
 * which they are as far apart as directions by chance knows nothing of them, and weighs nothing.
 *
 * @param deviation of the cosines of such pairs
 */
export function untriedWeight(deviation: number, dims: number): number {
  const told = deviation * Math.sqrt(dims)
  return UNTRIED * Math.min(1, Math.max(0, (told - TELLS) / (TRUSTED - TELLS)))
}
