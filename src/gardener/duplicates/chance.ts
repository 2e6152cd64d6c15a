/** The chance that two memories say the same, from what speaks for and against it. */
import type { Signs } from './likeness.ts'

type Weighed = 'words' | 'letters' | 'names' | 'values'

/**
 * Weights of a logistic regression over the half of the labelled pairs that serves tuning: `npm run bench -- gardener-weights`
 * fits them, and `npm run bench -- gardener` shows what they reach on both halves.
 */
const WEIGHTS: Record<Weighed, number> = {
  words: 3.2,
  letters: 3.4,
  names: 4,
  values: 1.1,
}
const BIAS = -6.7
/** One forbids what the other does not. A head is too short to be sure of that, so that much else outweighs it. */
const DENIES = -1

/** Two values or sides stand against each other: however alike the rest is, both may be true. */
const MOST_AGAINST = 0.25
const UNLIKELY = 0.1

/** @param alike null: nothing is known of what they mean */
export function chanceOf(signs: Signs, alike: number | null, threshold: number): number {
  if (signs.otherValues > MOST_AGAINST || signs.otherSides > 0) return UNLIKELY
  let sum = BIAS + DENIES * signs.denies
  for (const [sign, weight] of Object.entries(WEIGHTS)) sum += weight * signs[sign as Weighed]
  const byWords = 1 / (1 + Math.exp(-sum))
  const byMeaning = alike !== null && alike >= threshold && signs.denies === 0 ? alike : 0
  return Math.max(byWords, byMeaning)
}
