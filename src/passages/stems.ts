/** Stems of English words: what `listed`, `listing` and `lists` have in common. */
import stem from 'wink-porter2-stemmer'

const STEMS_KEPT = 50_000
const stems = new Map<string, string>()

/** The English stem of a folded word; a word of another alphabet is its own. */
export function stemmed(word: string): string {
  if (word.length < 3) return word
  const known = stems.get(word)
  if (known !== undefined) return known
  if (!/^[a-z]+$/.test(word)) return word
  if (stems.size >= STEMS_KEPT) stems.clear()
  const found = stem(word)
  stems.set(word, found)
  return found
}

const [E, I, Y] = ['e', 'i', 'y'].map((letter) => letter.charCodeAt(0)) as [number, number, number]

/** How a word begins, as one number. */
export const beginning = (first: number, second: number): number => (first << 16) | second

/**
 * How the words begin that a stem may be of: most words of a text begin otherwise, and need not be read. A stem keeps the
 * first two letters of its word, but those of `dying` and `aing` are `die` and `ae`.
 */
export function beginnings(lexeme: string): number[] {
  const first = lexeme.charCodeAt(0)
  if (lexeme.length === 1) return [beginning(first, 0)]
  const second = lexeme.charCodeAt(1)
  const others: Record<number, number[]> = { [E]: [I], [I]: [Y] }
  return [second, ...(others[second] ?? [])].map((letter) => beginning(first, letter))
}
