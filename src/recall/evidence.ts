import type { WordHit } from './by-words.ts'

export const EVIDENCE = ['strong', 'weak', 'none'] as const
export type Evidence = (typeof EVIDENCE)[number]

/** What a hit shows of the question: what its words have of it, and how near its meaning is. */
export interface Shown {
  /** From 0 to 1. */
  score: number
  words?: Pick<WordHit, 'share' | 'words' | 'rarest' | 'passages'>
  /** From 0 to 1, on the scale of the model. */
  nearness?: number
}

/** What the best hit has of a question where hardly anything stands beside it: in a small store, or when it is alone. */
const MOST = 2 / 3
/** Passages from which on a store is no small one. */
const SMALL = 200
/** In a larger store: what the best hit has of the question at least. What it lacks, it is ahead by. */
const MUCH = 1 / 3
/** All of a question. A share is a sum of fractions, and the last digit of one depends on their order. */
const ALL = 1 - 1e-9
/** By so much of its score is the best hit ahead of others that have all of a question of one word, faint ones aside. */
const FAR_AHEAD = 0.5
/** A word says nothing alone when more than this part of all passages has it, but a few always may. */
const COMMON = 0.02
const FEW = 3

/** As near in meaning as texts about the same thing are, and as texts about something else hardly are. */
const NEAR = 0.6
const AROUND = 0.3

/**
 * How far the hits can be believed, best first: `strong` when the best has much of the question and is far ahead of
 * the second, or is near to it; `none` when no hit has more of it than one common word. On the half of the own questions
 * by which it was chosen (test/bench/sets/own) every fourth answerable question is strong, and 96 of 100 that are have
 * their answer first. That there is no answer cannot be told: who asks in other words shares as little with it.
 */
export function judge(hits: readonly Shown[]): Evidence {
  const [best, second] = hits
  if (best && (hasMost(best, second) || (best.nearness ?? 0) >= NEAR)) return 'strong'
  return hits.some(tells) ? 'weak' : 'none'
}

function hasMost({ words, score }: Shown, second?: Shown): boolean {
  if (words === undefined) return false
  if (second === undefined || words.passages < SMALL) return words.share >= MOST
  const ahead = (score - second.score) / score
  if (words.words === 1 && words.share >= ALL) return ahead >= FAR_AHEAD
  return words.share >= MUCH && words.share + ahead >= ALL
}

function tells({ words, nearness = 0 }: Shown): boolean {
  if (nearness >= AROUND) return true
  if (words === undefined) return false
  const common = Math.max(FEW, COMMON * words.passages)
  return words.words > 1 || (words.words === 1 && words.rarest <= common)
}
