/** What two questions have in common that ask the same. */

/** 32 words that frame a question and say nothing of what it is about. */
const FRAMING = new Set(
  (
    'the and for are was were been has have had does did can could must should would will what when where which ' +
    'who why how with from into about there this that'
  ).split(' '),
)
/** In characters: what is shorter is no word of its own. */
const SHORTEST = 3

/**
 * Its words in one order, each once, without case; '' when it has none of its own. A word is letters with their marks
 * and digits, of any script. `query` is as long as the log keeps one, 500 characters.
 */
export function signatureOf(query: string): string {
  const words = foldCase(query.normalize('NFKC'))
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => [...word].length >= SHORTEST && !FRAMING.has(word))
  return [...new Set(words)].sort().join('-')
}

/** By way of capitals, or ß and ss would differ, and the two forms of a small sigma. */
const foldCase = (text: string): string => text.toUpperCase().toLowerCase()

/** The words of a signature. */
export const wordsIn = (signature: string): string[] => signature.split('-')
