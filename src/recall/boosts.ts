import type { Found } from './search.ts'

const STAR = 1.15
const UTILITY = 0.1

/**
 * Raises what the owner starred and what agents ask for, and ranks anew. A star always counts more
 * than any demand, and neither lets in what was not found.
 */
export function boost(found: readonly Found[]): Found[] {
  return found
    .map((one) => {
      const boosts = {
        ...(one.favorite && { star: STAR }),
        ...(one.utility > 0 && { utility: 1 + UTILITY * one.utility }),
      }
      const score = one.score * (boosts.star ?? 1) * (boosts.utility ?? 1)
      return { ...one, score, boosts }
    })
    .sort(best)
    .map((one) => ({ ...one, score: Math.min(one.score, 1) }))
}

/** The better first; of two alike the older, so that an answer is the same each time. */
export const best = (a: Found, b: Found): number => b.score - a.score || (a.id < b.id ? -1 : 1)
