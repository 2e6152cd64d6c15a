/** Cutting a long text into the passages that recall searches. */
import { headingsOf } from '../text/headings.ts'

/** A passage: from … to, in UTF-16 units of the text it was cut from. */
export interface Cut {
  from: number
  to: number
}

/** About how long a passage is, in UTF-16 units; none is longer than one and a half times this. */
export const PASSAGE = 1500

/**
 * Cuts a text on headings and paragraphs, so that a passage is about one thing.
 *
 * The passages are in order, do not overlap and leave out nothing but blank lines. A surrogate pair
 * is never torn.
 */
export function cutText(text: string, about: number = PASSAGE): Cut[] {
  const cuts: Cut[] = []
  let open: Cut | undefined
  for (const block of blocksOf(text, about)) {
    const fits = open !== undefined && block.to - open.from <= about
    const turns = open !== undefined && block.heading && open.to - open.from > about / 3
    if (open !== undefined && fits && !turns) open.to = block.to
    else cuts.push((open = { from: block.from, to: block.to }))
  }
  return cuts
}

interface Block extends Cut {
  heading: boolean
}

/** Paragraphs, those of more than one and a half passages cut to pieces. */
function* blocksOf(text: string, about: number): Generator<Block> {
  const headings = new Set(headingsOf(text).map(({ from }) => from))
  for (const paragraph of paragraphsOf(text)) {
    let { from } = paragraph
    const heading = headings.has(from)
    while (paragraph.to - from > about * 1.5) {
      const to = placeToCut(text, from, about)
      yield { from, to, heading: heading && from === paragraph.from }
      from = to
    }
    yield { from, to: paragraph.to, heading: heading && from === paragraph.from }
  }
}

/** Runs of lines that are not blank. Line by line: no pattern that a text could be made to stall. */
function* paragraphsOf(text: string): Generator<Cut> {
  let open: Cut | undefined
  for (let from = 0; from <= text.length;) {
    const end = text.indexOf('\n', from)
    const to = end === -1 ? text.length : end
    if (text.slice(from, to).trim() === '') {
      if (open) yield open
      open = undefined
    } else open = { from: open?.from ?? from, to }
    from = to + 1
  }
  if (open) yield open
}

/** Where a line, a sentence or a word ends. No blank follows a sentence in a script that has none. */
const ENDS = [/\n/g, /[.!?](?=\s)|[。！？]/g, /\s/g]

/** The last end of a line, else of a sentence, else of a word in the second half; else anywhere. */
function placeToCut(text: string, from: number, about: number): number {
  const piece = text.slice(from, from + about)
  for (const end of ENDS) {
    const at = [...piece.matchAll(end)].at(-1)?.index ?? -1
    if (at > about / 2) return from + at + 1
  }
  const last = text.charCodeAt(from + about - 1)
  return from + about - (last >= 0xd800 && last <= 0xdbff ? 1 : 0)
}
