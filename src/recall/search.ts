import type { Kernel } from '../kernel/kernel.ts'
import { findByMeaning, type Meant } from './by-meaning.ts'
import { findByWords } from './by-words.ts'
import { fuse, WORDS_ALONE, type Candidate } from './fusion.ts'
import { keyOf, showItems, type Item } from './items.ts'
import type { AnyScope } from '../projects/projects.ts'
import type { Asked } from './retriever.ts'
import type { Source } from './source.ts'

/** An item that was found, as it is shown and ranked. */
export interface Found extends Item, Candidate {
  /** How it was found. */
  source: Source
  boosts: { star?: number; utility?: number }
}

export interface Searched {
  /** Best first, before any boost. */
  candidates: Candidate[]
  /** Why meaning was not looked at. */
  degraded?: string
}

const NOT_LOOKED_AT: Meant = { hits: [] }

/** Hits that each retriever returns at least: more than are shown, as the retrievers differ. */
const DEPTH = 60

export const depthFor = (limit: number): number => Math.max(DEPTH, 3 * limit)

/** Asks both retrievers at once and returns one list. What the items are called is not looked at. */
export async function search(kernel: Kernel, scope: AnyScope, asked: Asked): Promise<Searched> {
  const byWords = findByWords(kernel.db, scope, asked)
  const [words, { hits, scale, degraded }] = await Promise.all([
    byWords,
    asked.wordsAlone ? NOT_LOOKED_AT : findByMeaning(kernel, scope, asked, byWords),
  ])
  const candidates = fuse(words, hits, scale ?? WORDS_ALONE).slice(0, asked.depth)
  return { candidates, ...(degraded !== undefined && { degraded }) }
}

/** In the order of the candidates, without those that are gone. */
export async function show(
  { db }: Kernel,
  scope: AnyScope,
  candidates: readonly Candidate[],
): Promise<Found[]> {
  return shownAs(candidates, await showItems(db, scope, candidates))
}

/** What was found, as the items are shown. */
export function shownAs(candidates: readonly Candidate[], items: readonly Item[]): Found[] {
  const shown = new Map(items.map((item) => [keyOf(item), item]))
  return candidates.flatMap((candidate) => {
    const item = shown.get(keyOf(candidate))
    return item ? [{ ...item, ...candidate, source: sourceOf(candidate), boosts: {} }] : []
  })
}

function sourceOf({ words, meaning, linked }: Candidate): Source {
  if (linked) return 'link'
  if (words && meaning) return 'fused'
  return meaning ? 'semantic' : 'fts'
}
