/** A set of questions, each asked by a single word: the one of its words that the fewest documents have. */
import type { RetrievalSet } from './sets.ts'

export function byOneWord(set: RetrievalSet): RetrievalSet {
  const documents = new Map<string, number>()
  for (const { text } of set.docs) {
    for (const word of new Set(wordsIn(text))) documents.set(word, (documents.get(word) ?? 0) + 1)
  }
  const queries = set.queries.flatMap((query) => {
    const known = wordsIn(query.q).filter((word) => documents.has(word))
    const [rarest] = known.toSorted((a, b) => documents.get(a)! - documents.get(b)!)
    return rarest === undefined ? [] : [{ ...query, q: rarest }]
  })
  return { ...set, queries }
}

const wordsIn = (text: string): string[] =>
  [...text.matchAll(/[\p{L}\p{N}]{2,}/gu)].map(([word]) => word.toLowerCase())
