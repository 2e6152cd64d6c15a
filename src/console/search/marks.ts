/** The words of a question, marked where a text has them. */
import { UNSEEN_SIGNS, wordsAsked, wordsOf } from '../../passages/passages.ts'

/** Returns the text as HTML, escaped, with `<mark>` around what was asked for. */
export type Marker = (text: string) => string

type Range = [from: number, to: number]

/** Words, with the breaks in them that are not seen, and runs of the scripts that have no spaces between them. */
const WORD = new RegExp(`[\\p{L}\\p{M}\\p{N}${UNSEEN_SIGNS}]+`, 'gu')
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2,}/u
/** A single character says nothing. */
const SHORTEST = 2

/** A word is found as the search finds it, whatever its ending; so are the characters of the whole question. */
export function markerOf(query: string): Marker {
  const asked = wordsAsked(query)
  const known = new Map<string, boolean>()
  const isAsked = (word: string): boolean => {
    const was = known.get(word)
    if (was !== undefined) return was
    const is = [...wordsOf(word).counts.keys()].some((lexeme) => asked.has(lexeme))
    known.set(word, is)
    return is
  }
  return (text) =>
    marked(text, [
      ...(query.length < SHORTEST ? [] : placesOf(text, query)),
      ...(asked.size === 0 ? [] : wordsIn(text, isAsked)),
    ])
}

/** Where these very characters stand, whatever their case. */
function placesOf(text: string, sought: string): Range[] {
  const [lower, wanted] = [text.toLowerCase(), sought.toLowerCase()]
  // Of a few letters the small one is longer: then no place would be right.
  if (lower.length !== text.length) return []
  const places: Range[] = []
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length))
    places.push([at, at + wanted.length])
  return places
}

function wordsIn(text: string, isAsked: (word: string) => boolean): Range[] {
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }): Range[] => {
    const pieces = UNSPACED.test(word) ? pairsOf(word) : [[0, word] as const]
    return pieces
      .filter(([, piece]) => isAsked(piece))
      .map(([at, piece]) => [index + at, index + at + piece.length])
  })
}

/** Neighbours are how such a script is searched. */
const pairsOf = (run: string): (readonly [number, string])[] =>
  Array.from({ length: run.length - 1 }, (_, at) => [at, run.slice(at, at + 2)] as const)

function marked(text: string, ranges: Range[]): string {
  let html = ''
  let end = 0
  for (const [from, to] of joined(ranges)) {
    html += `${escaped(text.slice(end, from))}<mark>${escaped(text.slice(from, to))}</mark>`
    end = to
  }
  return html + escaped(text.slice(end))
}

/** In their order, and those that touch as one. */
function joined(ranges: readonly Range[]): Range[] {
  const whole: Range[] = []
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = whole.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else whole.push([from, to])
  }
  return whole
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]!)
