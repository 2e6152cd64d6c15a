export const EVIDENCE = ['strong', 'weak', 'none'] as const
export type Evidence = (typeof EVIDENCE)[number]

/** What a hit shows of the question. */
export interface Shown {
  /** Of the weight of the question's words, the part that the best passage has. */
  share: number
  /** How many of the question's words it has. */
  words: number
  /** The part of all passages that has the rarest of these. */
  rarest: number
}

const STRONG = 2 / 3
/** A word of this part of all passages, or more, says nothing when it stands alone. */
const COMMON = 0.02

/**
 * How far the hits can be believed: `strong` when the best has most of the question, `none` when no
 * hit has more of it than one common word.
 */
export function judge(hits: readonly Shown[]): Evidence {
  if ((hits[0]?.share ?? 0) >= STRONG) return 'strong'
  const tells = ({ words, rarest }: Shown): boolean => words > 1 || (words > 0 && rarest < COMMON)
  return hits.some(tells) ? 'weak' : 'none'
}
