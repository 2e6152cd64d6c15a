/** Hits as they are answered: with where they were found and what became of them, as long as the budget lasts. */
import type { Db } from '../kernel/kernel.ts'
import { memoryRef } from '../memories/memories.ts'
import { weightIn, wordsAsked, type ItemKind } from '../passages/passages.ts'
import { scopeSql, wireProject, type Scope } from '../projects/projects.ts'
import { excerptOf, type Asked } from './excerpt.ts'
import { CHARACTERS } from './forms.ts'
import { hitOf, type Hit } from './hit.ts'
import { keyOf } from './items.ts'
import type { Found } from './search.ts'

/** A hit, in words for who asked. */
export interface ShownHit extends Hit {
  project: string
  /** What matched, when the description is missing or has less of the question. */
  passage?: string
  /** What became of a memory that was active at the time that was asked about. */
  ended?: 'superseded' | 'archived'
  /** What replaced it. */
  superseded_by?: string
}

interface Params {
  kinds: string[]
  ids: string[]
  chunks: (number | null)[]
  most: number
}
interface Row {
  kind: ItemKind
  id: string
  passage: string
  ended: boolean
  replaced: boolean
  next_name: string | null
  next_project: string | null
}
const shown = scopeSql<Params, Row>('recall/shown', { kept: true })

/** Characters of all passages that one answer looks through. */
const LOOKED_THROUGH = 120_000

/**
 * In the order they have. What is gone meanwhile is shown as it was found.
 *
 * @param at the time that was asked about; left out: now, when nothing has ended
 */
export async function showHits(
  db: Db,
  scope: Scope,
  query: string,
  found: readonly Found[],
  at?: Date,
): Promise<ShownHit[]> {
  const most = Math.floor(LOOKED_THROUGH / Math.max(1, found.length))
  const read = at ? [] : found.flatMap((one) => readAlready(one, most))
  const known = new Map<string, Known>(read.map((one) => [keyOf(one), one]))
  const others = found.filter((one) => !known.has(keyOf(one)))
  for (const row of await rowsOf(db, scope, others, most)) known.set(keyOf(row), row)
  const asked = wordsAsked(query)
  const called = asked.size === 0 ? [] : found.filter((one) => isOnlyCalled(one, known, asked))
  const beginnings = await rowsOf(db, scope, called, most, () => null)
  for (const row of beginnings) known.set(keyOf(row), row)
  return found.map((one) => {
    const row = known.get(keyOf(one))
    const hit = { ...hitOf(one), project: wireProject(one.project) }
    return row ? { ...hit, ...passageOf(hit, row.passage, asked), ...fateOf(row) } : hit
  })
}

type Known = Pick<Row, 'kind' | 'id' | 'passage'> & Partial<Row>

/** What the search by words has read of a hit, where that is all of its passage. */
function readAlready({ kind, id, words }: Found, most: number): Known[] {
  const passage = words?.passage
  const isWhole = typeof passage === 'string' && passage.length < Math.min(most, CHARACTERS)
  return isWhole ? [{ kind, id, passage }] : []
}

/**
 * Whether it was found by its title alone, which stands above each of its passages: the shortest counts as the best then,
 * and says nothing of what it is about.
 */
function isOnlyCalled(one: Found, known: ReadonlyMap<string, Known>, asked: Asked): boolean {
  if (one.description !== '' || !one.words?.chunk) return false
  const row = known.get(keyOf(one))
  return row !== undefined && weightIn(row.passage, asked) === 0
}

const chunkOf = ({ words, meaning }: Found): number | null => words?.chunk ?? meaning?.chunk ?? null

async function rowsOf(
  db: Db,
  scope: Scope,
  found: readonly Found[],
  most: number,
  chunk: (one: Found) => number | null = chunkOf,
): Promise<Row[]> {
  if (found.length === 0) return []
  return shown(db, scope, {
    kinds: found.map(({ kind }) => kind),
    ids: found.map(({ id }) => id),
    chunks: found.map(chunk),
    most,
  })
}

function passageOf(hit: Hit, text: string, asked: Asked): { passage?: string } {
  const passage = excerptOf(text, asked)
  if (passage === '' || hit.description.includes(passage)) return {}
  if (hit.description === '') return { passage }
  const said = weightIn(`${hit.title} ${hit.description}`, asked)
  return weightIn(passage, asked) > said ? { passage } : {}
}

function fateOf({ ended, replaced, next_name: name, next_project: project }: Known) {
  if (!ended) return {}
  const next =
    typeof name !== 'string' ? {} : { superseded_by: memoryRef({ name, project: project ?? '' }) }
  return { ended: replaced ? ('superseded' as const) : ('archived' as const), ...next }
}

/** Tokens of a value in an answer, as JSON. */
const tokensOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) / 4

/** The first always; then as many as fit beside what else the answer says. One that does not fit ends it. */
export function fitting<Part>(parts: readonly Part[], beside: object, budget: number): Part[] {
  let spent = tokensOf(beside)
  const over = parts.findIndex((part, i) => {
    spent += tokensOf([part]) - 1 / 4
    return i > 0 && spent > budget
  })
  return over === -1 ? [...parts] : parts.slice(0, over)
}
