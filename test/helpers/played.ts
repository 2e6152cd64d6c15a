/** Encoders that are played: they know which document a text is of, as well as is wanted. */
import { atRandom, hashedWords, unit, type Reading } from './embedders.ts'

const DIMS = 256
/** A text is told by what follows its longer words: so many characters of a word, and of what is compared. */
const [LONG, PART] = [5, 20]

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
  const holders = new Map<string, string[]>()
  for (const { id, text } of docs) {
    for (const part of new Set(partsOf(text))) {
      const known = holders.get(part)
      if (known) known.push(id)
      else holders.set(part, [id])
    }
  }
  // What many documents say tells little of which one a text is of.
  const docOf = (text: string): string | undefined => {
    const found = new Map<string, number>()
    for (const part of partsOf(text)) {
      const ids = holders.get(part) ?? []
      for (const id of ids) found.set(id, (found.get(id) ?? 0) + 1 / ids.length)
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

/** What a text says from each of its long words on. */
const partsOf = (text: string): string[] =>
  [...text.matchAll(LONG_WORD)]
    .map(({ index }) => text.slice(index, index + PART))
    .filter(({ length }) => length === PART)

const LONG_WORD = new RegExp(`\\p{L}{${LONG},}`, 'gu')
