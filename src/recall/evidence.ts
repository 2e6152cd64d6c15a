import type { WordHit } from './by-words.ts'

export const EVIDENCE = ['strong', 'weak', 'none'] as const
export type Evidence = (typeof EVIDENCE)[number]

/** What a hit shows of the question: what its words have of it, and how near its meaning is. */
export interface Shown {
  words?: Pick<WordHit, 'share' | 'words' | 'rarest' | 'passages'>
  /** From 0 to 1, on the scale of the model. */
  nearness?: number
}

const STRONG = 2 / 3
/** A word says nothing alone when more than this part of all passages has it, but a few always may. */
const COMMON = 0.02
const FEW = 3

/** As near in meaning as texts about the same thing are, and as texts about something else hardly are. */
const NEAR = 0.6
const AROUND = 0.3

/**
 * How far the hits can be believed, best first: `strong` when the best has most of the question or
 * is near to it, `none` when no hit has more of it than one common word. Of whole sentences about
 * something else hardly one was strong on the labelled sets; of those that were answered, every
 * second or third.
 */
export function judge(hits: readonly Shown[]): Evidence {
  const [best] = hits
  if ((best?.words?.share ?? 0) >= STRONG || (best?.nearness ?? 0) >= NEAR) return 'strong'
  return hits.some(tells) ? 'weak' : 'none'
}

function tells({ words, nearness = 0 }: Shown): boolean {
  if (nearness >= AROUND) return true
  if (words === undefined) return false
  const common = Math.max(FEW, COMMON * words.passages)
  return words.words > 1 || (words.words === 1 && words.rarest <= common)
}
