/** The memories that a form names, looked up. What means nothing, or several, is said and never guessed. */
import type { Kernel } from '../../../kernel/kernel.ts'
import { scopeSql } from '../../../projects/projects.ts'
import { slugify } from '../../../text/slug.ts'
import { cut } from '../../../text/text.ts'
import type { Brief } from '../../payloads.ts'
import type { Named } from '../grammar.ts'
import { memoryMeant, memoryOfAge, plainName, type Meant, type Within } from '../meant.ts'
import { ambiguous } from '../resolve.ts'
import type { Understood } from '../understood.ts'

/** Memories of one request. */
export const MOST = 20

/** A part of a request that names a memory, and what it means. */
export interface Reference {
  said: string
  meant: Meant
}

export interface References {
  all: Reference[]
  /** Parts that are too many to look up. */
  more: number
}

const standing = scopeSql<{ names: string[]; all: boolean; at: string | null }, { name: string }>(
  'gardener/standing',
)

/**
 * Looks up each part of a list, `at` one project or where the request looks. Parts that "and" joins are one name
 * where there is a memory of that name.
 */
export async function lookUp(
  kernel: Kernel,
  within: Within,
  { names, pick, said }: Named,
  at?: string,
): Promise<References> {
  const { kept, more } = cutTo(MOST, names)
  const whole = pick ? [said, said.replace(/^the /i, '')] : []
  const known = await standingAmong(kernel, within, { phrases: whole, lists: kept, at })
  const literal = whole.find((phrase) => known.has(slugify(phrase)))
  if (literal !== undefined) return { all: [await referTo(kernel, within, literal, at)], more: 0 }
  const readings = kept.flatMap((parts) => joined(parts, known))
  if (pick) {
    const given = readings.flat().map(bare)
    return { all: [{ said, meant: await memoryOfAge(kernel, within, given, pick, at) }], more }
  }
  const all: Reference[] = []
  for (const reading of readings) all.push(await readAs(kernel, within, reading, at))
  return { all, more }
}

/** The first so many parts. */
function cutTo(most: number, names: readonly string[][]): { kept: string[][]; more: number } {
  let left = most
  const kept = names.map((parts) => {
    const some = parts.slice(0, left)
    left -= some.length
    return some
  })
  return { kept, more: names.flat().length - kept.flat().length }
}

/** What neighbours that "and" joins would be called together. */
const joins = (parts: readonly string[]): string[] =>
  parts.flatMap((_, from) => parts.slice(from + 1).map((_, i) => joinOf(parts, from, from + i + 2)))

const joinOf = (parts: readonly string[], from: number, to: number): string =>
  parts.slice(from, to).some(isQuoted) ? '' : parts.slice(from, to).join(' and ')

const isQuoted = (part: string): boolean => /^(?:\[\[|["'`“‘«„])/.test(part)

/** The parts as names, the longest of those that are there first. Several: one name, or each by itself. */
function joined(parts: readonly string[], known: ReadonlySet<string>): string[][] {
  const readings: string[][] = []
  for (let from = 0; from < parts.length;) {
    let to = parts.length
    while (to > from + 1 && !known.has(slugify(joinOf(parts, from, to)))) to--
    const each = parts.slice(from, to)
    const apart = each.length > 1 && each.every((part) => known.has(slugify(part)))
    readings.push(apart ? [joinOf(parts, from, to), ...each] : [each.join(' and ')])
    from = to
  }
  return readings
}

/** The names that are there, of these phrases and of what the parts of a list may be together or apart. */
async function standingAmong(
  kernel: Kernel,
  { scope, all }: Within,
  {
    phrases,
    lists,
    at,
  }: { phrases: readonly string[]; lists: readonly string[][]; at: string | undefined },
): Promise<Set<string>> {
  const several = lists.filter((parts) => parts.length > 1)
  const asked = [...phrases, ...several.flat(), ...several.flatMap(joins)]
  const names = [...new Set(asked.map(slugify))].filter((name) => name !== '')
  if (names.length === 0) return new Set()
  const rows = await standing(kernel.db, scope, { names, all, at: at ?? null })
  return new Set(rows.map(({ name }) => name))
}

async function readAs(
  kernel: Kernel,
  within: Within,
  reading: readonly string[],
  at: string | undefined,
): Promise<Reference> {
  const [said = '', ...others] = reading
  const reference = await referTo(kernel, within, said, at)
  if (others.length === 0) return reference
  const among = memoriesOf(reference)
  for (const other of others) among.push(...memoriesOf(await referTo(kernel, within, other, at)))
  return { said, meant: { among } }
}

const memoriesOf = ({ meant }: Reference): Brief[] =>
  'memory' in meant ? [meant.memory] : 'among' in meant ? [...meant.among] : []

/** Looks up one reference, with "the memory …" around it or not. */
export async function referTo(
  kernel: Kernel,
  within: Within,
  said: string,
  at?: string,
): Promise<Reference> {
  if (isVague(said)) return { said, meant: { none: true } }
  const meant = await memoryMeant(kernel, within, said, at)
  const less = bare(said)
  if ('memory' in meant || less === said) return { said, meant }
  const again = await memoryMeant(kernel, within, less, at)
  return { said, meant: 'memory' in again || 'none' in meant ? again : meant }
}

/** Without what says only that it is a memory. */
function bare(said: string): string {
  if (isQuoted(said)) return said
  const less = said
    .replace(/^(?:the|our|my) /i, '')
    .replace(/^memory /i, '')
    .replace(/ memory$/i, '')
    .trim()
  return less === '' ? said : less
}

const VAGUE = new Set(
  (
    'this that it these those them they he she we you i me us him her one ones there here what which who ' +
    'something anything everything nothing all some any both none every each stuff things memories'
  ).split(' '),
)
/** A word that points at something and names nothing. In quotes it is a name. */
const isVague = (said: string): boolean => VAGUE.has(said.toLowerCase())

/** Whether nothing of it is a memory, and some of it does not look like a name: then it is no request of this form. */
export const isProse = (...references: readonly Reference[]): boolean =>
  references.every(({ meant }) => 'none' in meant) &&
  references.some(({ said }) => !isQuoted(said) && (/\s/.test(plainName(said)) || isVague(said)))

export const nothingYet = (): Understood => ({ operations: [], skipped: [], ambiguous: [] })

/** The memories that are meant, each once; of the others the answer says why they are not. */
export function settle(answer: Understood, { all, more }: References): Brief[] {
  const memories = new Map<string, Brief>()
  for (const reference of all) {
    const memory = settleOne(answer, reference)
    if (memory) memories.set(memory.id, memory)
  }
  if (more > 0) answer.skipped.push(`${more} more are named: ask for ${MOST} at once`)
  return [...memories.values()]
}

export function settleOne(answer: Understood, { said, meant }: Reference): Brief | undefined {
  if ('memory' in meant) return meant.memory
  const shown = cut(plainName(said), SHOWN)
  if ('among' in meant) {
    answer.ambiguous.push(ambiguous(shown, meant.among))
    answer.skipped.push(`${JSON.stringify(shown)} may mean several memories`)
  } else answer.skipped.push(`there is no memory ${JSON.stringify(shown)} where you asked`)
  return undefined
}

/** As much of what was said as an answer repeats, in characters. */
const SHOWN = 200
