/**
 * A request as words. What stands in quotes, and a link, is one word whatever is in it; marks at the end of a word are
 * words of their own. Reading takes time in proportion to the length, whatever is sent.
 */
import { withoutEnd } from '../../../text/text.ts'

export interface Word {
  /** In small letters; '' of what is quoted, so that nothing in quotes is taken for a word of the grammar. */
  low: string
  /** The whole request, and where in it the word stands. */
  of: string
  start: number
  end: number
}

/** What opens a quotation, with what closes it. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '‘': '’',
  '«': '»',
  '„': '“”',
}
/** A quotation ends before a blank or a mark: the apostrophe of a word ends none. None is longer than a name. */
const QUOTATIONS = new Map(
  Object.entries(QUOTES).map(([open, close]) => [
    open,
    new RegExp(`${open}(?! ).{1,500}?(?<! )[${close}](?=[ .,;:!?)]|$)`, 'y'),
  ]),
)
const LINK = /\[\[[^\][]{1,500}\]\]/y

const ENDING = '.;:!?)'

export function wordsIn(request: string): Word[] {
  const of = request.toWellFormed().replaceAll(/[\p{Cc}\p{Z}]/gu, ' ')
  const words: Word[] = []
  let at = 0
  const take = (end: number, low = of.slice(at, end).toLowerCase().replaceAll('’', "'")) => {
    words.push({ low, of, start: at, end })
    at = end
  }
  while (at < of.length) {
    if (of[at] === ' ') {
      at++
      continue
    }
    const quoted = endOfQuotation(of, at)
    if (quoted !== undefined) take(quoted, '')
    else if (',('.includes(of[at]!)) take(at + 1)
    else {
      const end = endOfWord(of, at)
      const text = withoutEnd(of.slice(at, end), ENDING)
      if (text !== '') take(at + text.length)
      while (at < end) take(at + 1)
    }
  }
  return words
}

function endOfQuotation(of: string, at: number): number | undefined {
  const pattern = of[at] === '[' ? LINK : QUOTATIONS.get(of[at]!)
  if (!pattern) return undefined
  pattern.lastIndex = at
  return pattern.test(of) ? pattern.lastIndex : undefined
}

function endOfWord(of: string, at: number): number {
  let end = at
  while (end < of.length && of[end] !== ' ' && of[end] !== ',') end++
  return end
}

/** The words as they were written, with what stands between them; '' of none. */
export const saidBy = (words: readonly Word[]): string =>
  words.length === 0 ? '' : words[0]!.of.slice(words[0]!.start, words.at(-1)!.end)

const MARKS = new Set([',', '(', ...ENDING])
export const isMark = ({ low }: Word): boolean => MARKS.has(low)

/** Without marks at its beginning and its end, and without these words there. */
export function trimmed(words: readonly Word[], ...others: readonly string[]): readonly Word[] {
  const isLoose = (word: Word) => isMark(word) || others.includes(word.low)
  let [from, to] = [0, words.length]
  while (from < to && isLoose(words[from]!)) from++
  while (to > from && isLoose(words[to - 1]!)) to--
  return words.slice(from, to)
}

/** Whether these words stand there: 'older than'. Each may be one of several: 'a|an'. */
export const standsAt = (words: readonly Word[], at: number, phrase: string): boolean =>
  at >= 0 && readPhrase(phrase).every((each, i) => each.has(words[at + i]?.low ?? ''))

/** The phrases of the grammar, which are asked for at every word of a request. */
const phrases = new Map<string, readonly ReadonlySet<string>[]>()

function readPhrase(phrase: string): readonly ReadonlySet<string>[] {
  const known = phrases.get(phrase)
  if (known) return known
  const read = phrase.split(' ').map((each) => new Set(each.split('|')))
  phrases.set(phrase, read)
  return read
}

/** Cuts the words in two around a word, the first or the last of its kind; undefined: it is not there. */
export function around(
  words: readonly Word[],
  kind: readonly string[],
  which: 'first' | 'last' = 'last',
): [before: readonly Word[], after: readonly Word[]] | undefined {
  const isIt = ({ low }: Word) => kind.includes(low)
  const at = which === 'first' ? words.findIndex(isIt) : words.findLastIndex(isIt)
  return at === -1 ? undefined : [words.slice(0, at), words.slice(at + 1)]
}
