import type { Db } from '../kernel/kernel.ts'
import { wordsOfQuestion, type ItemKind } from '../passages/passages.ts'
import { scopeSql, type AnyScope } from '../projects/projects.ts'
import { callsFor } from './called.ts'
import { CHARACTERS, formsIn } from './forms.ts'
import { byWhole } from './one-word.ts'
import type { Asked } from './retriever.ts'

/** How much a search reads. recall_words says what each value bounds. */
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
  /** The part of what a passage full of every word of the question would have; below 1. */
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
  /** The weight of each lexeme of the question by its rarity, in their order: of the first hit alone. */
  weights: number[] | null
  /** What stands above its best passage; null behind those that are read. */
  heading: string | null
  /** What that passage says, at most CHARACTERS of it; null as well. */
  passage: string | null
  /** Whether it is called what was asked; left out where it is not, and behind those that are read. */
  called?: true
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
  /** Of how many hits it comes back what their passages say. */
  read?: number
}
type Asks = Required<Search> & typeof SEARCH & { characters: number }
const statement = scopeSql<Asks, WordHit, AnyScope>('recall/words', { kept: true })

export const byWords = (
  db: Db,
  scope: AnyScope,
  search: Search & typeof SEARCH,
): Promise<WordHit[]> =>
  statement(db, scope, {
    ...{ memory_kind: '', at: null, explain: false, read: 0, characters: CHARACTERS },
    ...search,
  })

/** The items that answer best by their words, at most `depth`; none when the query has no word. */
export async function findByWords(
  db: Db,
  scope: AnyScope,
  { query, kinds, depth, memoryKind = '', at, explain = false }: Asked,
): Promise<WordHit[]> {
  const asked = wordsOfQuestion(query)
  if (asked.size === 0) return []
  const lexemes = [...asked.keys()]
  const [lexeme, ...others] = lexemes
  const hits = await byWords(db, scope, {
    ...SEARCH,
    kinds,
    lexemes,
    weights: [...asked.values()],
    depth,
    memory_kind: memoryKind,
    at: at ?? null,
    explain,
    read: others.length === 0 ? 0 : READ,
  })
  return others.length === 0
    ? byWhole(db, scope, { query, lexeme: lexeme! }, hits)
    : byForms(query, lexemes, hits)
}

/** Hits of which the words are looked at as they are written: the first. */
const READ = 30
/** What a form counts, in what its stem counts. */
const FORMS = 0.35

/** The same hits, those first that have the words of the question as they are written. */
function byForms(query: string, lexemes: readonly string[], hits: WordHit[]): WordHit[] {
  const weights = hits[0]?.weights ?? []
  const rarity = new Map(lexemes.map((lexeme, i) => [lexeme, weights[i] ?? 0]))
  const texts = hits.slice(0, READ).map(textOf)
  const forms = formsIn(texts, query, rarity)
  const isCalled = callsFor(query)
  return hits
    .map((hit, i) => ({ hit, sum: (hit.score + FORMS * (forms[i] ?? 0)) / (1 + FORMS) }))
    .sort((a, b) => b.sum - a.sum)
    .map(({ hit, sum }) => ({
      ...hit,
      score: belowOne(sum),
      ...(isCalled(hit.heading ?? '') && { called: true as const }),
    }))
}

/** Its heading and its passage; '' where they were not read. */
const textOf = ({ heading, passage }: Pick<WordHit, 'heading' | 'passage'>): string =>
  heading === null ? '' : `${heading}\n${passage}`

/** From here on a score only comes near to 1: of two items that are full of a word, one still has more of it. */
const FULL = 0.8

const belowOne = (score: number): number =>
  score <= FULL ? score : 1 - (1 - FULL) * Math.exp((FULL - score) / (1 - FULL))
