export const EVIDENCE = ['strong', 'weak', 'none'] as const
export type Evidence = (typeof EVIDENCE)[number]

/** What a hit shows of the question. */
export interface Shown {
  /** Of the weight of the question's words, the part that the best passage has. */
  share: number
  /** How many of the question's words it has. */
  words: number
  /** In how many passages of the scope the rarest of these words stands. */
  rarest: number
  /** How many passages the scope has. */
  passages: number
}

const STRONG = 2 / 3
/** A word says nothing alone when more than this part of all passages has it, but a few always may. */
const COMMON = 0.02
const FEW = 3

/**
 * How far the hits can be believed: `strong` when the best has most of the question, `none` when no
 * hit has more of it than one common word. Of whole sentences about something else hardly one was
 * strong on the labelled sets; of those that were answered, every second or third.
 */
export function judge(hits: readonly Shown[]): Evidence {
  if ((hits[0]?.share ?? 0) >= STRONG) return 'strong'
  const tells = ({ words, rarest, passages }: Shown): boolean =>
    words > 1 || (words === 1 && rarest <= Math.max(FEW, COMMON * passages))
  return hits.some(tells) ? 'weak' : 'none'
}
