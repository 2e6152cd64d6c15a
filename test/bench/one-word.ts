/**
 * A set of questions, each asked by a single word: the one of its words that the fewest documents have. A word that stands
 * only where the question comes from asks for nothing else, and is left out.
 */
import type { RetrievalSet } from './sets.ts'

export function byOneWord(set: RetrievalSet): RetrievalSet {
  const having = new Map<string, Set<string>>()
  for (const { id, text } of set.docs) {
    for (const word of wordsIn(text)) having.set(word, (having.get(word) ?? new Set()).add(id))
  }
  const queries = set.queries.flatMap((query) => {
    const elsewhere = (word: string): number => {
      const documents = having.get(word)
      if (!documents) return 0
      return documents.size - (query.src !== undefined && documents.has(query.src) ? 1 : 0)
    }
    const known = wordsIn(query.q).filter((word) => elsewhere(word) > 0)
    const [rarest] = known.toSorted((a, b) => elsewhere(a) - elsewhere(b))
    return rarest === undefined ? [] : [{ ...query, q: rarest }]
  })
  return { ...set, queries }
}

const wordsIn = (text: string): string[] =>
  [...text.matchAll(/[\p{L}\p{N}]{2,}/gu)].map(([word]) => word.toLowerCase())
