/** The chance that two memories say the same, from what speaks for and against it. */
import type { Signs } from './likeness.ts'

/** Weights of a logistic regression over the tuning half of the labelled set; `npm run bench -- gardener` shows what they reach. */
const WEIGHTS: Record<keyof Signs, number> = {
  jaccard: 4,
  contained: 3,
  head: 3,
  headJaccard: 2,
  description: 1,
  name: 1,
  names: 1,
  values: 1,
  otherValues: -12,
  otherNames: -2,
  otherSides: -9,
  denies: -2,
}
const BIAS = -5.5

/** Two values, names or sides stand against each other: however alike the rest is, both may be true. */
const MOST_AGAINST = 0.25

/** @param cosine null: nothing is known of what they mean */
export function chanceOf(signs: Signs, cosine: number | null, threshold: number): number {
  let sum = BIAS
  for (const [sign, weight] of Object.entries(WEIGHTS)) sum += weight * signs[sign as keyof Signs]
  const byWords = 1 / (1 + Math.exp(-sum))
  if (cosine === null || cosine < threshold) return byWords
  const against = signs.otherValues > MOST_AGAINST || signs.otherSides > 0 || signs.denies > 0
  return against ? byWords : Math.max(byWords, cosine)
}
