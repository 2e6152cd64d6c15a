/** Duplicates among the memories that a caller may read, looked for at once. */
import { likenessOf } from '../../embeddings/embeddings.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { Turns } from '../../kernel/turns.ts'
import { wordsAsked } from '../../passages/passages.ts'
import { scopeSql, type Scope } from '../../projects/projects.ts'
import type { Brief } from '../payloads.ts'
import type { Within } from '../request/meant.ts'
import { BODY } from './candidates.ts'
import { comparable, pairOf, type Comparable, type Pair } from './compare.ts'
import type { Written } from './features.ts'
import { knownOf, pairKey } from './known.ts'
import { rarityAmong } from './rarity.ts'

/** The newest memories that are compared. */
const LOOKED_AT = 300
/** Of two that are compared: rare words that they share. */
const SHARED = 2
/** A word of more of them than this chooses nothing. */
const COMMON = 40

const within = scopeSql<
  { all: boolean; query: string; length: number; most: number },
  Written,
  Scope
>('gardener/within')

export interface Duplicate {
  keep: Brief
  drop: Brief
  score: number
}

/** The likeliest pairs first, at most `most`; with a topic those of which a memory is about it. */
export async function duplicatesWithin(
  kernel: Kernel,
  { scope, all }: Within,
  topic: string | undefined,
  most: number,
): Promise<Duplicate[]> {
  const query = topic === undefined ? '' : anyOf(topic)
  if (topic !== undefined && query === '') return []
  const asked = { all, query, length: BODY, most: LOOKED_AT }
  const memories = (await within(kernel.db, scope, asked)).map(comparable)
  const rarity = rarityAmong(memories)
  const couples = couplesOf(memories)
  const known = await knownOf(
    kernel.db,
    scope,
    couples.map(([a, b]) => [a.memory.id, b.memory.id]),
    await likenessOf(kernel),
  )
  const pairs: Pair[] = []
  const turns = new Turns()
  for (const [a, b] of couples) {
    await turns.give()
    const about = known.get(pairKey(a.memory.id, b.memory.id))!
    const { dedup_threshold } = kernel.config.gardener
    const pair = pairOf(a, b, rarity, about, dedup_threshold)
    if (pair) pairs.push(pair)
  }
  return eachDroppedOnce(pairs).slice(0, most)
}

const anyOf = (topic: string): string =>
  [...wordsAsked(topic).keys()]
    .map((lexeme) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`)
    .join(' | ')

/** Those that share rare words. */
function couplesOf(memories: readonly Comparable[]): [Comparable, Comparable][] {
  const having = new Map<string, number[]>()
  for (const [nth, { features }] of memories.entries()) {
    for (const word of features.words.keys()) {
      having.set(word, [...(having.get(word) ?? []), nth])
    }
  }
  const shared = new Map<string, number>()
  for (const those of having.values()) {
    if (those.length > COMMON) continue
    for (const a of those) {
      for (const b of those) {
        if (a < b) shared.set(`${a} ${b}`, (shared.get(`${a} ${b}`) ?? 0) + 1)
      }
    }
  }
  return [...shared]
    .filter(([, words]) => words >= SHARED)
    .map(([key]) => {
      const [a, b] = key.split(' ').map(Number)
      return [memories[a!]!, memories[b!]!]
    })
}

/** The likeliest first, and each memory dropped once at most and never kept after that. */
function eachDroppedOnce(pairs: readonly Pair[]): Pair[] {
  const dropped = new Set<string>()
  return pairs
    .toSorted((a, b) => b.score - a.score || (a.drop.id < b.drop.id ? -1 : 1))
    .filter(({ keep, drop }) => {
      if (dropped.has(keep.id) || dropped.has(drop.id)) return false
      dropped.add(drop.id)
      return true
    })
}
