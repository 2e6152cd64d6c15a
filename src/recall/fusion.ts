import type { Scale as CheckedScale } from '../kernel/embedder.ts'
import { UNTRIED, untriedWeight, type Near } from '../embeddings/embeddings.ts'
import type { ItemKind } from '../passages/passages.ts'
import type { Background } from './background.ts'
import type { WordHit } from './by-words.ts'
import { keyOf } from './items.ts'

/** An item with what each retriever says about it. */
export interface Candidate {
  kind: ItemKind
  id: string
  /** From 0 to 1. */
  score: number
  words?: WordHit & Ranked
  meaning?: Near & Ranked
  /** How near its meaning is, from 0 to 1 on the scale of the model; left out where that says nothing. */
  nearness?: number
  /** Found by a link alone. */
  linked?: true
}

interface Ranked {
  /** From 1. */
  rank: number
}

/** What an item that is called what was asked has of the best score beside it: more than a star adds. */
const CALLED = 1.2

/** Below this similarity nothing is said, whatever the model. */
const LEAST = 0.3
/** As near as texts about the same thing usually are. */
const NEAR = 0.8
const SPAN = 0.2
/** Pairs of texts from which on a spread means something. */
const PAIRS = 20

/** What a similarity is worth: nothing up to `from`, all from `to` on, and then `weight` in the sum. */
export interface Scale {
  weight: number
  from: number
  to: number
  /** Only the order counts: what is near is no evidence of an answer. */
  ranksAlone?: boolean
}

/**
 * The scale of a model that was checked: its similarities mean the same as those of any other. What was learned of words that
 * stand together finds something near to every question, and so is no evidence.
 */
export const checkedScale = ({ weight, learned }: Omit<CheckedScale, 'knots'>): Scale => ({
  ...{ weight, from: 0, to: 1 },
  ranksAlone: learned === true,
})

export const WORDS_ALONE: Scale = { weight: 0, from: LEAST, to: NEAR }

/**
 * The scale of a model, from how alike it finds texts that have nothing to do with each other. One to
 * which they are as far apart as directions by chance knows nothing of them, and weighs nothing.
 */
export function scaleOf({ mean, deviation, pairs, dims }: Background): Scale {
  if (pairs < PAIRS) return { weight: UNTRIED, from: LEAST, to: NEAR }
  const from = Math.max(LEAST, mean + 2 * deviation)
  return { weight: untriedWeight(deviation, dims), from, to: Math.max(NEAR, from + SPAN) }
}

/**
 * One list of two, best first. Both retrievers say how good an answer is on a scale of their own, whatever
 * else was found: the words by their share of all there is to have, the meaning by `scale`. So a retriever
 * that has nothing good does not lift its best beside the other's. Without a meaning, or with one
 * that weighs nothing, the words' own scores stand. What is called as was asked comes first all the same.
 */
export function fuse(
  words: readonly WordHit[],
  meaning: readonly Near[],
  { weight, from, to, ranksAlone = false }: Scale,
): Candidate[] {
  const found = new Map<string, Candidate>()
  words.forEach((hit, i) => {
    const { kind, id } = hit
    found.set(keyOf(hit), { kind, id, score: 0, words: { ...hit, rank: i + 1 } })
  })
  meaning.forEach((hit, i) => {
    const { kind, id } = hit
    const candidate = found.get(keyOf(hit)) ?? { kind, id, score: 0 }
    found.set(keyOf(hit), { ...candidate, meaning: { ...hit, rank: i + 1 } })
  })
  const near = (hit: Near): number => Math.min(1, Math.max(0, (nearOf(hit) - from) / (to - from)))
  const scored = [...found.values()].map((one) => {
    const nearness = one.meaning && weight > 0 ? near(one.meaning) : undefined
    const score = (1 - weight) * (one.words?.score ?? 0) + weight * (nearness ?? 0)
    return { ...one, score, ...(nearness !== undefined && !ranksAlone && { nearness }) }
  })
  scored.sort(
    (a, b) => b.score - a.score || similarityOf(b) - similarityOf(a) || (a.id < b.id ? -1 : 1),
  )
  return calledFirst(scored)
}

/**
 * What is called as was asked, in its order, above all others. Where the scale has no room there, the others come down:
 * a star must not lift one of them over it.
 */
function calledFirst(ranked: Candidate[]): Candidate[] {
  const called = ranked.filter(({ words }) => words?.called)
  if (called.length === 0) return ranked
  const above = CALLED * ranked[0]!.score
  const most = Math.max(1, above)
  const others = ranked.filter(({ words }) => !words?.called)
  return [
    ...called.map((one) => ({ ...one, score: above / most })),
    ...others.map((one) => ({ ...one, score: one.score / most })),
  ]
}

const similarityOf = ({ meaning }: Candidate): number => (meaning ? nearOf(meaning) : -1)

/** How near an item is: by its best passage, and as much by its whole where that is told. */
export const nearOf = ({ similarity, whole = similarity }: Near): number => (similarity + whole) / 2
