/** Memories by what they are: "anything about tides older than 30 days, of kind gotcha, tagged old". */
import { MEMORY_KINDS } from '../../../memories/memories.ts'
import type { Filter } from './form.ts'
import { kindNamed } from './kinds.ts'
import { saidBy, standsAt, trimmed, type Word } from './words.ts'

const ANY = 'anything|everything|all|any|every|each|whatever'
const OURS = 'the|our|my'
const THINGS = 'memory|memories|thing|things'
const KINDS_OF = MEMORY_KINDS.flatMap((kind) => [kind, `${kind}s`]).join('|')

/** Whether it says that all are meant of which something is true. */
export function speaksOfAll(words: readonly Word[]): boolean {
  if (standsAt(words, 0, ANY)) return true
  const clause = words.findIndex(({ low }, i) => i > 0 && !FILLERS.has(low))
  return isPlural(words[0]) && clause > 0 && startsAt(words, clause)
}

/** Undefined when a part of it is not understood. It may hold nothing: "everything". */
export function filterIn(words: readonly Word[]): Filter | undefined {
  if (words.some(({ low }) => LIMITS.has(low))) return undefined
  const filter: Filter = { tags: [] }
  let at = 0
  if (standsAt(words, at, ANY)) at++
  if (standsAt(words, at, `of ${OURS} ${THINGS}|${KINDS_OF}`)) at++
  if (standsAt(words, at, OURS)) at++
  const kind = kindNamed(words[at]?.low ?? '')
  if (kind) {
    filter.kind = kind
    at++
  }
  if (standsAt(words, at, THINGS)) at++
  while (at < words.length) {
    if (FILLERS.has(words[at]!.low)) at++
    else {
      const length = clauseLength(words, at)
      if (length === 0 || !takeClause(filter, words.slice(at, at + length))) return undefined
      at += length
    }
  }
  return filter
}

export const isEmpty = ({ topic, days, kind, tags, project }: Filter): boolean =>
  (topic ?? days ?? kind ?? project) === undefined && tags.length === 0

const isPlural = (word: Word | undefined): boolean =>
  word !== undefined &&
  (word.low === 'memories' || (word.low.endsWith('s') && kindNamed(word.low) !== undefined))

const FILLERS = new Set([',', ';', 'and', 'that', 'which', 'is', 'are', 'was', 'were', 'also'])

/** What all applies at once cannot say. */
const LIMITS = new Set(['or', 'not', 'no', 'but', 'except', 'without', 'unless'])

const ABOUT = 'about|regarding|concerning|mentioning'
const UNITS = new Map(Object.entries({ day: 1, week: 7, month: 30, year: 365 }))
/** Nothing is older. */
const MOST_DAYS = 36_500

const OLDER = 'older than'
const KINDS = ['of kind', 'of the kind'] as const
const TAGS = ['tagged with', 'tagged as', 'tagged', 'with tag', 'with the tag'] as const
const PROJECT = 'in project'

const startsAt = (words: readonly Word[], at: number): boolean =>
  [ABOUT, OLDER, ...KINDS, ...TAGS, PROJECT].some((phrase) => standsAt(words, at, phrase))

/** How many words the clause takes that begins there; 0: none does. */
function clauseLength(words: readonly Word[], at: number): number {
  if (!startsAt(words, at)) return 0
  let end = at + 1
  while (end < words.length && !startsAt(words, end)) end++
  return end - at
}

/** Puts a clause into the filter. Returns false when it is not understood. */
function takeClause(filter: Filter, clause: readonly Word[]): boolean {
  const said = (phrase: string) => trimmed(clause.slice(phrase.split(' ').length), ...FILLERS)
  if (standsAt(clause, 0, ABOUT)) {
    const topic = saidBy(said(ABOUT))
    filter.topic = filter.topic === undefined ? topic : `${filter.topic} ${topic}`
    return topic !== ''
  }
  if (standsAt(clause, 0, OLDER)) {
    const days = daysOf(said(OLDER))
    if (days !== undefined) filter.days = Math.max(days, filter.days ?? 0)
    return days !== undefined
  }
  if (standsAt(clause, 0, PROJECT)) return takeOnce(filter, 'project', said(PROJECT))
  const kind = KINDS.find((phrase) => standsAt(clause, 0, phrase))
  if (kind) return takeOnce(filter, 'kind', said(kind))
  const tagged = said(TAGS.find((phrase) => standsAt(clause, 0, phrase))!)
  const tags = tagged.filter(({ low }) => low !== ',' && low !== 'and').map((tag) => bare(tag))
  filter.tags.push(...tags)
  // Two words beside each other are no two tags.
  const joins = tagged.filter(({ low }) => low === ',' || low === 'and').length
  return tags.length > 0 && joins >= tags.length - 1
}

/** No memory is of two kinds or in two projects. */
function takeOnce(filter: Filter, what: 'kind' | 'project', words: readonly Word[]): boolean {
  if (words.length !== 1) return false
  const said = bare(words[0]!)
  const one = what === 'kind' ? (kindNamed(said.toLowerCase()) ?? said) : said
  if ((filter[what] ?? one) !== one) return false
  filter[what] = one
  return true
}

/** A word without its quotes. */
const bare = (word: Word): string =>
  word.low === ''
    ? saidBy([word])
        .replace(/^(?:\[\[|.)/u, '')
        .replace(/(?:\]\]|.)$/u, '')
    : saidBy([word])

/** "30 days", "3 weeks", "a year". */
function daysOf(words: readonly Word[]): number | undefined {
  const [count, unit] = words
  if (words.length !== 2) return undefined
  const days = UNITS.get(unit!.low.replace(/s$/, ''))
  const many = /^(?:a|an|one)$/.test(count!.low)
    ? 1
    : /^\d{1,5}$/.test(count!.low)
      ? +count!.low
      : 0
  return days === undefined || many === 0 ? undefined : Math.min(many * days, MOST_DAYS)
}
