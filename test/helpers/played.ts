/** Encoders that are played: they know which document a text is of, as well as is wanted. */
import { atRandom, hashedWords, unit, type Reading } from './embedders.ts'

const DIMS = 256
/** Characters of a text by which its document is told, and of the steps between two such places. */
const [PART, STEP] = [25, 60]

interface Played {
  docs: readonly { id: string; text: string }[]
  queries: readonly { q: string; rel: readonly string[] }[]
}

/**
 * What a text means: the document that it is of, or that answers it, and its own words.
 *
 * @param noise how much the words count, the document being 1
 */
export function playedBy({ docs, queries }: Played, noise: number): Reading {
  const [random, words] = [atRandom(DIMS), hashedWords(DIMS)]
  const asked = new Map(queries.map(({ q, rel }) => [q, rel[0]!]))
  const told = new Map<string, string | undefined>()
  const docOf = (text: string): string | undefined => {
    const found = new Map<string, number>()
    for (let at = 0; at + PART < text.length; at += STEP) {
      const part = text.slice(at, at + PART)
      for (const { id, text } of docs) {
        if (text.includes(part)) found.set(id, (found.get(id) ?? 0) + 1)
      }
    }
    return [...found].sort(([, a], [, b]) => b - a)[0]?.[0]
  }
  return (text) => {
    const own = unit(words(text))
    if (text === '') return own
    if (!asked.has(text) && !told.has(text)) told.set(text, docOf(text))
    const doc = asked.get(text) ?? told.get(text)
    if (doc === undefined) return own
    return unit(random(`document ${doc}`)).map((part, i) => part + noise * own[i]!)
  }
}
