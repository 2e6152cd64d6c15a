import type { Candidate } from './fusion.ts'
import type { Found } from './search.ts'

const STAR = 1.15
/** What use adds at most, in the best score: it orders what is as good as equal, and nothing else. */
const EQUAL = 0.02
/** What use adds at most, in an item's own score: less than a star. */
const UTILITY = 0.1

/**
 * Raises what the owner starred and what agents read when they are shown it, and ranks anew. A star always counts more
 * than any use, and neither lets in what was not found. What is alike stays in the order in which it was given.
 */
export function boost(found: readonly Found[]): Found[] {
  const most = EQUAL * Math.max(0, ...found.map(({ score }) => score))
  return found
    .map((one) => {
      const used = Math.min(UTILITY * one.score, most) * one.utility
      const boosts = {
        ...(one.favorite && { star: STAR }),
        ...(used > 0 && { utility: 1 + used / one.score }),
      }
      const score = one.score * (boosts.star ?? 1) * (boosts.utility ?? 1)
      return { ...one, score, boosts }
    })
    .sort((a, b) => b.score - a.score)
    .map((one) => ({ ...one, score: Math.min(one.score, 1) }))
}

/** Those that boosts may bring among the first: what the others are called need not be known. Best first, as they are given. */
export function withinReach(candidates: readonly Candidate[], limit: number): Candidate[] {
  const [best, last] = [candidates[0], candidates[limit - 1]]
  if (!best || !last) return [...candidates]
  return candidates.filter(({ score }) => STAR * (score + EQUAL * best.score) >= last.score)
}
