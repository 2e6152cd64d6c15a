/** The part of a passage that answers a question best: what a hit shows when its description says less. */
import { weightIn } from '../passages/passages.ts'
import { oneLine } from '../text/text.ts'

/** Characters of an excerpt. */
const MOST = 200
/** The lexemes of a question and their weights. */
export type Asked = ReadonlyMap<string, number>

/** The sentence or line that has most of the question, with what follows it as far as there is room. */
export function excerptOf(passage: string, asked: Asked): string {
  const parts = partsOf(passage)
  let best = 0
  let most = 0
  for (const [at, part] of parts.entries()) {
    const weight = weightIn(part, asked)
    if (weight > most) [best, most] = [at, weight]
  }
  const [first = '', ...rest] = parts.slice(best)
  let text = first
  for (const part of rest) {
    if (text.length + 1 + part.length > MOST) break
    text += UNSPACED.test(text) ? part : ` ${part}`
  }
  return oneLine(text, MOST)
}

/** How much of a text stands before the words that are sought, in characters. */
const BEFORE = 40

/** The part of a text around these very characters, whatever their case; undefined without them. */
export function excerptAround(text: string, sought: string): string | undefined {
  const at = text.toLowerCase().indexOf(sought.toLowerCase())
  if (at === -1) return undefined
  const line = text.lastIndexOf('\n', at) + 1
  const blank = text.indexOf(' ', at - BEFORE)
  const from = line > at - BEFORE ? line : blank !== -1 && blank < at ? blank + 1 : at
  const part = oneLine(text.slice(from), MOST)
  return from === line ? part : `…${part}`
}

/** Between sentences. In a script that has no blanks there is none between them either. */
const SENTENCES = /(?<=[.!?])\s+|(?![。！？」』”’）])(?<=[。！？][」』”’）]*)\s*/u
/** The end of such a sentence. */
const UNSPACED = /[。！？][」』”’）]*$/u

/** Lines, of long ones the sentences, and of those the pieces: none is longer than an excerpt. */
function partsOf(passage: string): string[] {
  return passage
    .split(/[\r\n]+/)
    .flatMap((line) => (line.length <= MOST ? [line] : line.split(SENTENCES)))
    .flatMap((sentence) => [...piecesOf(sentence.trim())])
    .filter((part) => part !== '')
}

/** Cut at blanks where there are any, and never within a character. */
function* piecesOf(sentence: string): Generator<string> {
  let from = 0
  while (sentence.length - from > MOST) {
    const blank = sentence.lastIndexOf(' ', from + MOST)
    const last = sentence.charCodeAt(from + MOST - 1)
    const hard = from + MOST - (last >= 0xd800 && last <= 0xdbff ? 1 : 0)
    const to = blank > from ? blank : hard
    yield sentence.slice(from, to)
    from = blank > from ? blank + 1 : hard
  }
  yield sentence.slice(from)
}
