import type { Db } from '../kernel/kernel.ts'
import { sqlFile } from '../kernel/sql-file.ts'
import { wordsAsked, type ItemKind } from '../passages/passages.ts'
import type { Scope } from '../projects/projects.ts'
import type { Shown } from './evidence.ts'

/** How much a search looks at; what each bounds is told in sql/recall/words.sql. */
export const SEARCH = {
  /** Passages in a scope up to which every match is scored. */
  small: 2_000,
  /**
   * Passages among which the best are sought in a larger one. Half as many lost a tenth of the right
   * answers among 14,000 passages, twice as many won none back.
   */
  pool: 2_000,
  /** Candidates, should even the rarest word of a question be a common one. */
  most: 4_000,
  /** Words of a question, the rarest. */
  words: 48,
}

export interface Found extends Shown {
  kind: ItemKind
  id: string
  name: string
  title: string
  description: string
  project: string
  favorite: boolean
  /** In seconds. */
  age: number
  score: number
}

interface Search {
  searched: readonly string[]
  /** The owner's search: past every fence. */
  everywhere: boolean
  kinds: readonly ItemKind[]
  lexemes: readonly string[]
  weights: readonly number[]
  depth: number
}

export const byWords = sqlFile<Search & typeof SEARCH, Found>('recall/words')

/** The items that answer best by their words, at most `depth`; none when the query has no word. */
export function findByWords(
  db: Db,
  { searched }: Scope,
  query: string,
  kinds: readonly ItemKind[],
  depth: number,
): Promise<Found[]> {
  return find(db, { searched, everywhere: false }, query, kinds, depth)
}

/** The same for the owner, whom no fence stops. */
export function findEverywhere(
  db: Db,
  query: string,
  kinds: readonly ItemKind[],
  depth: number,
): Promise<Found[]> {
  return find(db, { searched: [], everywhere: true }, query, kinds, depth)
}

async function find(
  db: Db,
  where: Pick<Search, 'searched' | 'everywhere'>,
  query: string,
  kinds: readonly ItemKind[],
  depth: number,
): Promise<Found[]> {
  const asked = wordsAsked(query)
  if (asked.size === 0) return []
  const [lexemes, weights] = [[...asked.keys()], [...asked.values()]]
  return byWords(db, { ...SEARCH, ...where, kinds, lexemes, weights, depth })
}
