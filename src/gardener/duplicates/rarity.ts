/** What a word tells by how rare it is. */
import type { Comparable } from './compare.ts'
import type { Rarity } from './likeness.ts'

/** Among fewer passages rarity says little. */
const FEWEST = 50

/** The inverse document frequency of a word, smoothed: ln(1 + passages / those that have it). */
export const rarityOf =
  (passages: number, countOf: (lexeme: string) => number): Rarity =>
  (lexeme) =>
    Math.log(1 + Math.max(passages, FEWEST) / countOf(lexeme))

/** How rare words are among these alone, whenever the store was counted. */
export function rarityAmong(memories: readonly Comparable[]): Rarity {
  const counts = new Map<string, number>()
  for (const { features } of memories) {
    for (const word of features.words.keys()) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return rarityOf(memories.length, (lexeme) => counts.get(lexeme) ?? 1)
}
