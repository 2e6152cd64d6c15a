/**
 * The sentences that are understood without a model, read by rules. Nothing is looked up here: whether a memory or a
 * project is meant is for forms/ to find out. A sentence that merely holds such words is none of these.
 */
import { oneLine } from '../../text/text.ts'
import { filterIn, isEmpty, speaksOfAll } from './grammar/filter.ts'
import type { Form } from './grammar/form.ts'
import { kindAtEnd, kindNamed, withoutContrast } from './grammar/kinds.ts'
import { mannerly } from './grammar/manners.ts'
import { keepIn, listOf, namedBy } from './grammar/names.ts'
import { readStatement } from './grammar/statements.ts'
import { around, saidBy, standsAt, trimmed, type Word } from './grammar/words.ts'

export type { Filter, Form, FormOf, Named, Pick } from './grammar/form.ts'

/** One of each form, for whoever asked for something that is none. */
export const FORMS: readonly string[] = [
  'archive tide-cache because the cache is gone',
  'archive anything about tides older than 90 days',
  'archive everything of kind gotcha tagged old',
  'merge tide-cache into tide-tables',
  'tide-cache and tide-tables are duplicates, keep the newer',
  'find duplicates about tides',
  'move tide-cache, tide-tables to harbor',
  'tide-cache belongs in harbor',
  'move everything tagged tides from atlas to harbor',
  'tide-cache is a gotcha, not a decision',
  'reclassify tide-cache as gotcha',
  'split atlas into web and api shared core',
  'consolidate tide-cache, tide-tables into tides with description "All about tides"',
  'digest for atlas of 2026-06',
]

type Read = (rest: readonly Word[], reason: string | undefined) => Form | undefined

/** Reads a request; undefined: it has none of the forms. */
export function readForm(request: string): Form | undefined {
  const { words, isQuestion } = mannerly(request)
  const [said, tail] = around(words, ['because'], 'first') ?? [words, []]
  const those = trimmed(said)
  const reason = tail.length === 0 ? undefined : oneLine(saidBy(trimmed(tail)), REASON)
  const [verb] = those
  if (!verb) return undefined
  const read = standsAt(those, 1, 'is|are|belongs|belong|should|and|&|,')
    ? undefined
    : VERBS.get(verb.low)
  if (read) return read(those.slice(1), reason)
  return isQuestion ? undefined : readStatement(those, reason)
}

/** In characters. */
const REASON = 300

const because = (reason: string | undefined) => (reason === undefined ? {} : { reason })

const archive: Read = (rest, reason) => {
  if (speaksOfAll(rest)) {
    const filter = filterIn(rest)
    return filter && !isEmpty(filter)
      ? { form: 'archive-all', filter, ...because(reason) }
      : undefined
  }
  const of = namedBy(rest)
  return of && { form: 'archive', of, ...because(reason) }
}

const merge: Read = (rest, reason) => {
  const [before, after = []] = around(rest, ['into']) ?? [rest]
  if (after.length === 0) return duplicates(before, reason)
  const drop = namedBy(before)
  const keep = saidBy(trimmed(after))
  return drop && keep ? { form: 'merge', drop, keep, ...because(reason) } : undefined
}

/** "merge A and B, keep B". */
function duplicates(words: readonly Word[], reason: string | undefined): Form | undefined {
  const { before, keep } = keepIn(words) ?? { before: words, keep: { pick: 'newer' as const } }
  const of = namedBy(before, 'with')
  if (!of || of.pick || of.names.flat().length < 2) return undefined
  return { form: 'duplicates', of, keep, ...because(reason) }
}

const find: Read = (rest) => {
  let at = standsAt(rest, 0, 'me|for') ? 1 : 0
  while (standsAt(rest, at, 'all|any|the|possible|near')) at++
  if (standsAt(rest, at, 'duplicate memories')) at += 2
  else if (standsAt(rest, at, 'duplicates|dupes')) at++
  else return undefined
  if (at === rest.length) return { form: 'find-duplicates' }
  if (!standsAt(rest, at, 'about|of|on|regarding|concerning')) return undefined
  const topic = saidBy(trimmed(rest.slice(at + 1)))
  return topic === '' ? undefined : { form: 'find-duplicates', topic }
}

const move: Read = (rest, reason) => {
  const [before, after] = around(rest, ['to', 'into']) ?? [[], []]
  const [what, origin] = around(before, ['from']) ?? [before, []]
  const [to, from] = [saidBy(trimmed(after)), saidBy(trimmed(origin))]
  if (to === '') return undefined
  if (speaksOfAll(what) || (from !== '' && speaksOfAll(before))) {
    const filter = filterIn(what)
    if (filter && from !== '') filter.project = from
    return filter && !isEmpty(filter)
      ? { form: 'move-all', filter, to, ...because(reason) }
      : undefined
  }
  const of = namedBy(what)
  return of && { form: 'move', of, ...(from && { from }), to, ...because(reason) }
}

/** "make A a K", "turn A into a K"; and "make a digest of P". */
const make: Read = (rest, reason) => {
  const found = kindAtEnd(withoutContrast(rest))
  if (!found) return writeDigest(rest, reason)
  const of = namedBy(trimmed(found.before, 'into', 'to'))
  return of && { form: 'rekind', of, to: found.kind, ...because(reason) }
}

/** "reclassify A as K": what is no kind is said to be none. */
const reclassify: Read = (rest, reason) => {
  const [before, after] = around(withoutContrast(rest), ['as']) ?? [[], []]
  const kind = trimmed(after, 'a', 'an', 'the')
  const of = namedBy(before)
  if (!of || kind.length !== 1) return undefined
  return { form: 'rekind', of, to: kindNamed(kind[0]!.low) ?? saidBy(kind), ...because(reason) }
}

/** "mark A as K": much else is marked as something. */
const mark: Read = (rest, reason) => {
  const form = reclassify(rest, reason)
  return form?.form === 'rekind' && kindNamed(form.to) ? form : undefined
}

/** Children that nobody named: "two", "several projects", "fair parts". */
const UNNAMED =
  /^(?:two|three|four|five|six|several|some|many|smaller|\d+)\b|\b(?:parts|pieces|projects|children)$/i

const splitUp: Read = (rest) => {
  const [before, after] = around(rest, ['into'], 'first') ?? [rest, []]
  const source = saidBy(trimmed(before, 'up'))
  if (source === '') return undefined
  const at = after.findIndex(
    ({ low }, i) =>
      (low === 'shared' || low === 'sharing') &&
      i > 0 &&
      after[i - 1]!.low !== 'and' &&
      after.length > i + 1 &&
      !['and', ','].includes(after[i + 1]!.low),
  )
  const children = listOf(trimmed(at === -1 ? after : after.slice(0, at), 'with')).flat()
  const shared = at === -1 ? '' : saidBy(trimmed(after.slice(at + 1)))
  const named = children.length === 1 && UNNAMED.test(children[0]!) ? [] : children
  return { form: 'split', source, children: named, ...(shared && { shared }) }
}

const consolidate: Read = (rest, reason) => {
  const [before, after] = around(rest, ['into'], 'first') ?? [[], []]
  const at = after.findIndex((_, i) => lengthOfDescribing(after, i) > 0)
  const name = saidBy(trimmed(at === -1 ? after : after.slice(0, at), 'and'))
  const of = namedBy(before)
  if (!of || name === '') return undefined
  const said = at === -1 ? [] : trimmed(after.slice(at + lengthOfDescribing(after, at)))
  const description =
    said.length === 1 && said[0]!.low === '' ? saidBy(said).slice(1, -1) : saidBy(said)
  return { form: 'consolidate', of, name, ...(description && { description }), ...because(reason) }
}

const lengthOfDescribing = (words: readonly Word[], at: number): number =>
  ['with the|a description of', 'with the|a description', 'with description', 'described as']
    .find((phrase) => standsAt(words, at, phrase))
    ?.split(' ').length ?? 0

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/

const digest: Read = (rest) => {
  const words = trimmed(rest, 'for', 'of', 'from', 'in')
  const last = words.at(-1)
  const month = last && MONTH.test(last.low) ? last.low : undefined
  const project = saidBy(trimmed(month ? words.slice(0, -1) : words, 'for', 'of', 'from', 'in'))
  return project === '' ? undefined : { form: 'digest', project, ...(month && { month }) }
}

const writeDigest: Read = (rest, reason) =>
  standsAt(rest, 0, 'a|the digest') ? digest(rest.slice(2), reason) : undefined

const VERBS: ReadonlyMap<string, Read> = new Map([
  ...['archive', 'retire', 'drop'].map((verb) => [verb, archive] as const),
  ...['merge', 'fold'].map((verb) => [verb, merge] as const),
  ...['find', 'list', 'show', 'look', 'search'].map((verb) => [verb, find] as const),
  ['move', move],
  ...['make', 'turn'].map((verb) => [verb, make] as const),
  ...['reclassify', 'rekind', 'recategorize', 'recategorise'].map(
    (verb) => [verb, reclassify] as const,
  ),
  ['mark', mark],
  ['split', splitUp],
  ...['consolidate', 'combine'].map((verb) => [verb, consolidate] as const),
  ['digest', digest],
  ...['write', 'create', 'prepare'].map((verb) => [verb, writeDigest] as const),
])
