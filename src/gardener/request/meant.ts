/** Which memory the words of a request mean. What several may be is never guessed. */
import type { Kernel } from '../../kernel/kernel.ts'
import { MOST } from '../../kernel/schema/bounds.ts'
import { readReference } from '../../documents/documents.ts'
import { scopeSql, type Scope } from '../../projects/projects.ts'
import { cutSlug, slugify } from '../../text/slug.ts'
import type { Brief } from '../payloads.ts'

/** Where a request looks. */
export interface Within {
  scope: Scope
  /** In every project that its caller may read. */
  all: boolean
}

export type Meant =
  | { memory: Brief }
  /** Several are meant as well as each other, or are as like. */
  | { among: Brief[] }
  | { none: true }

interface Row extends Brief {
  rank: number
  likeness: number
  updated_at: Date
}

interface Asked {
  words: string
  prefix: string
  slug: string
  cut: string
  telling: boolean
  sure: number
  floor: number
  all: boolean
  at: string | null
}

const meant = scopeSql<Asked, Row>('gardener/meant')

/** What is so much like what was said is meant, unless another one is nearly as like. Less is only offered. */
const SURE = 0.6
const MARGIN = 0.15
const FLOOR = 0.3
/** Ranks of what was found by likeness. */
const LIKE = 4
const OFFERED = 5

/** Two words or more: one word of a description tells no memory from the others. */
const TELLING = /\p{L}{3,}\P{L}+\p{L}{3,}/u

/**
 * Reads an id, the beginning of one, a name, `project/name`, `[[name]]` or words that are nearly a name or a part of a
 * description. An id is found wherever the caller may read. With `at` only what lies in that project is meant.
 */
export async function memoryMeant(
  kernel: Kernel,
  within: Within,
  given: string,
  at?: string,
): Promise<Meant> {
  const best = await bestOf(kernel, within, given, at)
  const [first] = best
  if (!first) return { none: true }
  return best.length > 1 || first.rank === OFFERED
    ? { among: best.map(briefOf) }
    : { memory: briefOf(first) }
}

/**
 * Of all that these mean, the memory that was changed last, or the one that was not for longest. Of those changed
 * at once the one made last is the newer. None: one of them means nothing, or all of them mean one memory.
 */
export async function memoryOfAge(
  kernel: Kernel,
  within: Within,
  given: readonly string[],
  age: 'newer' | 'older',
  at?: string,
): Promise<Meant> {
  const rows: Row[] = []
  for (const one of given) {
    const best = await bestOf(kernel, within, one, at)
    if (best.length === 0) return { none: true }
    if (best[0]!.rank === OFFERED) return { among: best.map(briefOf) }
    rows.push(...best)
  }
  const byAge = rows
    .toSorted((a, b) => +a.updated_at - +b.updated_at || (a.id < b.id ? -1 : 1))
    .map(briefOf)
  const [oldest, newest] = [byAge[0], byAge.at(-1)]
  if (!oldest || !newest || oldest.id === newest.id) return { none: true }
  return { memory: age === 'newer' ? newest : oldest }
}

/**
 * Those that are meant as well as each other, the one first that is most like what was said. A name may hold a slash,
 * and what stands before it may be a project by chance.
 */
async function bestOf(
  kernel: Kernel,
  within: Within,
  given: string,
  at?: string,
): Promise<readonly Row[]> {
  const words = plainName(given)
  if (words === '' || words.length > MOST.name) return []
  const reference = await readReference(kernel.db, within.scope.caller, words)
  if (!reference || (at !== undefined && at !== reference.project))
    return likest(await look(kernel, within, words, at))
  const { name, project, readable } = reference
  const there = readable ? await look(kernel, within, name, project) : []
  if (isNamed(there)) return likest(there)
  const own = await look(kernel, within, words, at)
  return likest(isNamed(own) ? own : there)
}

async function look(
  { db }: Kernel,
  { scope, all }: Within,
  name: string,
  at: string | undefined,
): Promise<Row[]> {
  const rows = await meant(db, scope, {
    words: name,
    prefix: /^[0-9a-z]{8,26}$/i.test(name) ? name : '',
    slug: slugify(name),
    cut: cutSlug(name) ?? '',
    telling: TELLING.test(name),
    sure: SURE,
    floor: FLOOR,
    all,
    at: at ?? null,
  })
  return rows.map((row) =>
    row.rank === LIKE && isExcepted(name, row) ? { ...row, rank: OFFERED } : row,
  )
}

/** Words that except what stands behind them, with the beginning of it. */
const EXCEPTING =
  /\b(?:not|no|never|neither|nor|but|except|without|unless|instead|rather|keep|keeping|leave|leaving)\b(?: \S+)?/g

const wordsOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')

/** Whether it is said to be left alone: such words stand there, and neither its name nor its description has them. */
const isExcepted = (said: string, { name, description }: Brief): boolean => {
  const own = wordsOf(`${name} ${description}`)
  return (wordsOf(said).match(EXCEPTING) ?? []).some((words) => !own.includes(words))
}

const isNamed = ([first]: readonly Row[]): boolean => first !== undefined && first.rank < LIKE

function likest(rows: readonly Row[]): readonly Row[] {
  const [first] = rows
  if (!first || first.rank === OFFERED) return rows
  return rows.filter(({ rank, likeness }) =>
    first.rank === LIKE ? first.likeness - likeness < MARGIN : rank === first.rank,
  )
}

/** Without the brackets of a link, quotes and a mark at its end. */
export function plainName(given: string): string {
  const words = given.trim().replace(/[.,;]$/, '')
  const [, link] = /^\[\[([^\][]{1,500})\]\]$/.exec(words) ?? []
  if (link !== undefined) return link.split(/[|#]/)[0]!.trim()
  return words.replace(/^["'`“‘«„](.*)["'`”’»“]$/, '$1').trim()
}

const briefOf = ({ id, name, project, kind, description }: Row): Brief => ({
  id,
  name,
  project,
  kind,
  description,
})
