/** The headings of a markdown text, found line by line: there is no pattern that a text could stall. */
import { cut } from './text.ts'

export interface Heading {
  /** From 1, the highest, to 6. */
  level: number
  /** Its words without the marks, 200 characters at most. */
  title: string
  /** Where its first line begins, in UTF-16 units of the text. */
  from: number
}

/** In UTF-16 units. A longer line over an underline is prose. */
const LONGEST_TITLE = 200
/** What stands below so many is read as the text of the last one: nobody chooses among more. */
const MOST = 3_000

/**
 * Returns the headings in their order: lines that begin with `#`, and single lines that are underlined in
 * the manner of Markdown (`=`, `-`) and of reStructuredText (`~`, `^`, `*`). What stands in a fence of code,
 * in a quote or in an indented block is none, nor is one without words.
 */
export function headingsOf(text: string): Heading[] {
  const headings: Heading[] = []
  let fence: Fence | undefined
  // A line that is the whole paragraph so far: an underline makes it a heading.
  let alone: Line | undefined
  let inParagraph = false
  for (let from = 0; from < text.length && headings.length < MOST;) {
    const line = lineAt(text, from)
    from = line.next
    if (fence) {
      if (closes(text, line, fence)) fence = undefined
      continue
    }
    const heading = underlined(text, line, alone) ?? marked(text, line)
    fence = heading ? undefined : fenceAt(text, line)
    if (heading && heading.title !== '') headings.push(heading)
    if (heading || fence || isBlank(line) || isRule(text, line)) {
      alone = undefined
      inParagraph = false
    } else {
      alone = !inParagraph && mayBeTitle(text, line) ? line : undefined
      inParagraph ||= !isCode(line)
    }
  }
  return headings
}

interface Line {
  from: number
  /** Where its text begins and ends, blanks left out. */
  start: number
  to: number
  /** Columns before its text; a tab is four. */
  indent: number
  next: number
}

function lineAt(text: string, from: number): Line {
  const found = text.indexOf('\n', from)
  const end = found === -1 ? text.length : found
  let [start, to, indent] = [from, end, 0]
  while (start < end && isSpace(text.charCodeAt(start))) {
    indent += text.charCodeAt(start) === TAB ? 4 : 1
    start++
  }
  while (to > start && isSpace(text.charCodeAt(to - 1))) to--
  return { from, start, to, indent, next: end + 1 }
}

const TAB = 9
const isSpace = (code: number): boolean => code === 32 || code === TAB || code === 13
const isBlank = ({ start, to }: Line): boolean => start === to
const isCode = ({ indent }: Line): boolean => indent >= 4

/** Returns how often the character at a place is repeated there. */
function runAt(text: string, at: number, to: number): number {
  const code = text.charCodeAt(at)
  let end = at
  while (end < to && text.charCodeAt(end) === code) end++
  return end - at
}

/** `## Words ##` */
function marked(text: string, line: Line): Heading | undefined {
  const { from, start, to } = line
  if (text[start] !== '#' || isCode(line)) return undefined
  const level = runAt(text, start, to)
  const after = start + level
  if (level > 6 || (after < to && !isSpace(text.charCodeAt(after)))) return undefined
  return { level, title: titleOf(text, after, unclosed(text, after, to)), from }
}

/** Where the words end: a run of # behind a blank closes the heading. */
function unclosed(text: string, from: number, to: number): number {
  let end = to
  while (end > from && text[end - 1] === '#') end--
  return end < to && isSpace(text.charCodeAt(end - 1)) ? end : to
}

const titleOf = (text: string, from: number, to: number): string =>
  cut(text.slice(from, Math.min(to, from + 3 * LONGEST_TITLE)).trim(), LONGEST_TITLE)

/** By their index the level that they make. */
const UNDERLINES = '=-~^*'

/** A line of one character below a line that stands alone. */
function underlined(text: string, line: Line, above: Line | undefined): Heading | undefined {
  if (!above || isBlank(line) || isCode(line)) return undefined
  const { start, to } = line
  const level = UNDERLINES.indexOf(text[start]!) + 1
  const length = to - start
  if (level === 0 || runAt(text, start, to) !== length) return undefined
  // Those of reStructuredText alone are as long as the title: three of them are a fence or a rule.
  if (level > 2 && length < Math.max(4, above.to - above.start)) return undefined
  return { level, title: titleOf(text, above.start, above.to), from: above.from }
}

interface Fence {
  mark: string
  length: number
}

function fenceAt(text: string, line: Line): Fence | undefined {
  const { start, to } = line
  const mark = text[start]!
  if (isCode(line) || (mark !== '`' && mark !== '~')) return undefined
  const length = runAt(text, start, to)
  if (length < 3) return undefined
  // Backticks behind it make it code within a line.
  const second = mark === '`' ? text.indexOf('`', start + length) : -1
  return second === -1 || second >= to ? { mark, length } : undefined
}

function closes(text: string, line: Line, { mark, length }: Fence): boolean {
  const { start, to } = line
  if (isBlank(line) || isCode(line) || text[start] !== mark) return false
  const run = runAt(text, start, to)
  return run >= length && run === to - start
}

/** `---`, `* * *` */
function isRule(text: string, line: Line): boolean {
  const { start, to } = line
  const mark = text[start]!
  if (isCode(line) || !'*-_'.includes(mark)) return false
  let marks = 0
  for (let at = start; at < to; at++) {
    if (text[at] === mark) marks++
    else if (!isSpace(text.charCodeAt(at))) return false
  }
  return marks >= 3
}

/** The beginning of a list, a quote or a table. */
const NO_TITLE = /^(?:[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|[>|])/

const mayBeTitle = (text: string, line: Line): boolean =>
  !isCode(line) &&
  line.to - line.start <= LONGEST_TITLE &&
  !NO_TITLE.test(text.slice(line.start, line.start + 12))
