/** A text for an agent within a budget of bytes, filled line by line. */
import type { ItemKind } from '../passages/passages.ts'
import { capBlock, defuse, contextBlock, type BlockTag } from '../text/context-block.ts'
import { cutBytes } from '../text/text.ts'
import type { BriefingOptions } from './options.ts'

/** An item whose content an agent received in a text. */
export interface Shown {
  kind: ItemKind
  id: string
}

/** What a part of a text does not say. */
export interface Omission {
  /** Its heading; '' is the end of the whole text. */
  part: string
  /** How many lines it would have more. */
  lines: number
  /** Whether they are named all the same, and no more is said of them. */
  named: boolean
  /** No room was left; a limit that nobody sets; or the option that sets one. */
  why: 'room' | 'fixed' | keyof BriefingOptions
}

/** A text that an agent receives. */
export interface Composed {
  /** A context block; '' when there is nothing to say. */
  text: string
  /** Whose content the text holds. */
  items: Shown[]
  /** Whose content is left of the text when a client's limit has cut it. */
  shownIn(cut: string): Shown[]
  /** What is known here and the text leaves out, part by part. */
  omitted: readonly Omission[]
  /** How many lines stand behind its last part, the closing tag among them. */
  closing: number
  /** The content of no item, but words of our own: no injection to be recorded. */
  minimal?: true
}

export interface Brief {
  /** Whether nothing was written yet. */
  readonly empty: boolean
  /** A line about one item, no longer than the item's share of the brief. */
  entry(line: string): string
  /** Writes a line even if no room is left. */
  write(line: string, ...items: Shown[]): void
  /** The same behind the last part. */
  close(line: string): void
  /** Writes the lines when all of them fit into what is left. */
  offer(lines: readonly string[], ...items: Shown[]): boolean
  /** Notes what a part leaves out; of no lines nothing is noted. */
  omit(part: string, lines: number, why: Omission['why'], how?: { named?: boolean }): void
  /** Keeps room for a line that is written later. */
  reserve(line: string): void
  /** Puts a line before all others; what it costs has been reserved. */
  head(line: string): void
  /** The context block, cut to `most` bytes, always with `last` at its end. */
  finish(tag: BlockTag, most: number, last?: string): Composed
}

/** No line of one item is longer than this part of the brief, so that none takes the others' room. */
const SHARE = 1 / 8
/** The fewest bytes of a line, so that it says at least what it is about. */
const SHORTEST = 120

/** What the tags of a context block take. */
const OVERHEAD = Buffer.byteLength(contextBlock('loam-plan-context', ''))

export function openBrief(bytes: number): Brief {
  const written: { line: string; items: Shown[] }[] = []
  const omitted: Omission[] = []
  const share = Math.max(SHORTEST, Math.floor(bytes * SHARE))
  let left = bytes - OVERHEAD
  let closing = 1

  const cost = (line: string): number => Buffer.byteLength(line) + 1
  function write(line: string, ...items: Shown[]): void {
    const safe = defuse(line)
    left -= cost(safe)
    written.push({ line: safe, items })
  }

  return {
    get empty() {
      return written.length === 0
    },
    entry(line) {
      const safe = defuse(line)
      return Buffer.byteLength(safe) <= share ? safe : `${cutBytes(safe, share - 3)}…`
    },
    write,
    close(line) {
      write(line)
      closing++
    },
    offer(lines, ...items) {
      const needed = lines.reduce((sum, line) => sum + cost(defuse(line)), 0)
      if (needed > left) return false
      for (const line of lines.slice(0, -1)) write(line)
      write(lines.at(-1) ?? '', ...items)
      return true
    },
    omit(part, lines, why, { named = false } = {}) {
      if (lines > 0) omitted.push({ part, lines, named, why })
    },
    reserve(line) {
      left -= cost(line)
    },
    head(line) {
      written.unshift({ line: defuse(line), items: [] })
    },
    finish(tag, most, last) {
      const whole = contextBlock(tag, written.map(({ line }) => line).join('\n'))
      const text = capBlock(whole, { most, unit: 'bytes' })
      const said = last === undefined ? text : withLast(text, last)
      const left = (part: string) =>
        part === whole ? written : written.slice(0, wholeLines(part, written))
      const shownIn = (part: string): Shown[] => unique(left(part).flatMap((each) => each.items))
      const items = shownIn(text)
      const lost = written.length - left(text).length
      return {
        text: said,
        items,
        shownIn: (cut) => (cut === said ? items : shownIn(cut)),
        omitted: [...omitted, ...(lost > 0 ? [endOf(lost)] : [])],
        closing: (lost > 0 ? 1 : closing) + (last === undefined ? 0 : 1),
      }
    },
  }
}

/** Nothing to be told. */
export const SILENCE: Composed = {
  ...{ text: '', items: [], omitted: [], closing: 0 },
  shownIn: () => [],
}

const endOf = (lines: number): Omission => ({
  ...{ part: '', lines, named: false, why: 'hard_cap_multiplier' },
})

/** How many of the lines are whole in a block that was cut. */
function wholeLines(cut: string, written: readonly { line: string }[]): number {
  const mark = cut.lastIndexOf('...\n')
  let end = cut.indexOf('\n')
  const torn = written.findIndex(({ line }) => (end += line.length + 1) > mark)
  return torn === -1 ? written.length : torn
}

/** A line of our own before the closing tag of a block. */
function withLast(block: string, line: string): string {
  const end = block.lastIndexOf('\n') + 1
  return `${block.slice(0, end)}${defuse(line)}\n${block.slice(end)}`
}

const unique = (items: readonly Shown[]): Shown[] => [
  ...new Map(items.map(({ kind, id }) => [id, { kind, id }])).values(),
]
