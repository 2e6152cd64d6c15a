import type { Db } from '../kernel/kernel.ts'
import { wordsAsked, type ItemKind } from '../passages/passages.ts'
import { scopeSql, type AnyScope } from '../projects/projects.ts'
import type { Asked } from './retriever.ts'

/** How much a search reads. sql/recall/words.sql says what each value bounds. */
export const SEARCH = {
  /** Passages in a scope up to which every match is scored. */
  small: 2_000,
  /**
   * Passages among which the best are sought in a larger one. A thousand lost a tenth of the right
   * answers among 14,000 passages, four thousand won none back on two thousand; among 100,000 five of
   * six of the best twenty are found.
   */
  pool: 1_700,
  /** Candidates, should even the rarest word of a question be a common one. */
  most: 4_000,
  /** Words of a question, the rarest. */
  words: 48,
}

/** An item as its words answer. */
export interface WordHit {
  kind: ItemKind
  id: string
  /** Its best passage. */
  chunk: number
  /** The part of what a passage full of every word of the question would have. */
  score: number
  /** Of the weight of the question's words, the part that the best passage has. */
  share: number
  /** How many of the question's words it has. */
  words: number
  /** In how many passages of the scope the rarest of these words stands. */
  rarest: number
  /** How many passages the scope has. */
  passages: number
  /** The lexemes it has, rarest first; null unless they were asked for. */
  lexemes: string[] | null
}

interface Search {
  kinds: readonly ItemKind[]
  lexemes: readonly string[]
  weights: readonly number[]
  depth: number
  /** '' for every kind of memory. */
  memory_kind?: string
  /** Null is now. */
  at?: Date | null
  /** Whether lexemes come back. */
  explain?: boolean
}
const statement = scopeSql<Required<Search> & typeof SEARCH, WordHit, AnyScope>('recall/words', {
  kept: true,
})

export const byWords = (
  db: Db,
  scope: AnyScope,
  search: Search & typeof SEARCH,
): Promise<WordHit[]> =>
  statement(db, scope, { memory_kind: '', at: null, explain: false, ...search })

/** The items that answer best by their words, at most `depth`; none when the query has no word. */
export async function findByWords(
  db: Db,
  scope: AnyScope,
  { query, kinds, depth, memoryKind = '', at, explain = false }: Asked,
): Promise<WordHit[]> {
  const asked = wordsAsked(query)
  if (asked.size === 0) return []
  return byWords(db, scope, {
    ...SEARCH,
    kinds,
    lexemes: [...asked.keys()],
    weights: [...asked.values()],
    depth,
    memory_kind: memoryKind,
    at: at ?? null,
    explain,
  })
}
