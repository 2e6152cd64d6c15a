import type { ItemKind } from '../passages/passages.ts'
import type { WordHit } from './by-words.ts'

/** An item as its meaning answers. */
export interface MeaningHit {
  kind: ItemKind
  id: string
  /** Cosine of its nearest passage. */
  similarity: number
}

/** An item with what each leg said of it. */
export interface Candidate {
  kind: ItemKind
  id: string
  /** From 0 to 1. */
  score: number
  words?: WordHit & Ranked
  meaning?: MeaningHit & Ranked
}

interface Ranked {
  /** From 1. */
  rank: number
}

/**
 * One list of two, best first: the scores of each leg, scaled over its candidates, weighed and added.
 *
 * `weight` is that of the meaning leg, from 0 to 1. Without that leg the words' own scores stand.
 */
export function fuse(
  words: readonly WordHit[],
  meaning: readonly MeaningHit[],
  weight: number,
): Candidate[] {
  const found = new Map<string, Candidate>()
  words.forEach((hit, i) => {
    found.set(hit.id, { kind: hit.kind, id: hit.id, score: 0, words: { ...hit, rank: i + 1 } })
  })
  meaning.forEach((hit, i) => {
    const { kind, id } = hit
    const candidate = found.get(id) ?? { kind, id, score: 0 }
    found.set(id, { ...candidate, meaning: { ...hit, rank: i + 1 } })
  })
  const most = Math.max(...words.map(({ score }) => score), 1e-9)
  const near = Math.max(...meaning.map(({ similarity }) => similarity))
  const far = Math.min(...meaning.map(({ similarity }) => similarity))
  const scaled = ({ words, meaning: meant }: Candidate): number => {
    if (meaning.length === 0) return words!.score
    const told = (words?.score ?? 0) / most
    const close = meant ? (meant.similarity - far) / Math.max(near - far, 1e-9) : 0
    return (1 - weight) * told + weight * close
  }
  return [...found.values()]
    .map((candidate) => ({ ...candidate, score: scaled(candidate) }))
    .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
}
