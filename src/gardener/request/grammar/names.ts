/** How a request names memories. */
import type { Named, Pick } from './form.ts'
import { isMark, saidBy, standsAt, trimmed, type Word } from './words.ts'

/** Undefined when no memory is named. */
export function namedBy(words: readonly Word[], ...also: readonly string[]): Named | undefined {
  const those = trimmed(words)
  const picked = standsAt(those, 0, 'the') ? pickIn(those.slice(1)) : undefined
  const names = listOf(picked?.rest ?? those, ...also)
  if (names.length === 0) return undefined
  return { names, ...(picked && { pick: picked.pick }), said: saidBy(those) }
}

/** A list: its parts between commas, and in each those between "and" and what else joins them here. */
export function listOf(words: readonly Word[], ...also: readonly string[]): string[][] {
  const joins = ['and', '&', ...also]
  const those = standsAt(words, 0, 'both') && words.length > 1 ? words.slice(1) : words
  return split(those, ({ low }) => low === ',' || low === ';')
    .map((part) => split(part, ({ low }) => joins.includes(low)).map(saidBy))
    .filter((part) => part.length > 0)
}

/** The parts between words of a sort, those that hold nothing but marks left out. */
function split(words: readonly Word[], isBetween: (word: Word) => boolean): (readonly Word[])[] {
  const parts: Word[][] = [[]]
  for (const word of words) {
    if (isBetween(word)) parts.push([])
    else parts.at(-1)!.push(word)
  }
  return parts.map((part) => trimmed(part)).filter((part) => part.length > 0)
}

const PICKS: readonly (readonly [phrase: string, pick: Pick])[] = [
  ['newer|newest|later|latest', 'newer'],
  ['more|most recent', 'newer'],
  ['older|oldest|earlier|earliest', 'older'],
]

/** "newer one of A and B", "older A": which is meant, and of what. "newest" alone: of what was said before. */
function pickIn(words: readonly Word[]): { pick: Pick; rest: readonly Word[] } | undefined {
  const found = PICKS.find(([phrase]) => standsAt(words, 0, phrase))
  if (!found) return undefined
  const [phrase, pick] = found
  let at = phrase.split(' ').length
  if (standsAt(words, at, 'one|memory')) at++
  if (standsAt(words, at, 'of the|these two')) at += 3
  else if (standsAt(words, at, 'of them|these')) at += 2
  else if (standsAt(words, at, 'of')) at++
  return { pick, rest: words.slice(at) }
}

/** "…, keep X" at the end: what stands before it, and X. */
export function keepIn(
  words: readonly Word[],
): { before: readonly Word[]; keep: { name: string } | { pick: Pick } } | undefined {
  const at = words.findLastIndex(
    ({ low }, i) => (low === 'keep' || low === 'keeping') && (i === 0 || isBreak(words[i - 1]!)),
  )
  if (at === -1) return undefined
  const said = trimmed(words.slice(at + 1))
  if (said.length === 0) return undefined
  const picked = pickIn(standsAt(said, 0, 'the') ? said.slice(1) : said)
  return {
    before: trimmed(words.slice(0, at), 'and', 'but', 'so', '-', '–', '—'),
    keep: picked?.rest.length === 0 ? { pick: picked.pick } : { name: saidBy(said) },
  }
}

const isBreak = (word: Word): boolean =>
  isMark(word) || ['and', 'but', 'so', '-', '–', '—'].includes(word.low)
