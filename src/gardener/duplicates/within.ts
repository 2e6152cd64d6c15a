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
import type { Rarity } from './likeness.ts'
import { rarityAmong } from './rarity.ts'

/** The newest memories that are compared. */
const LOOKED_AT = 300
/** Of two that are compared: rare words that they share. */
const SHARED = 2
/** A word of more of them than this chooses nothing. */
const COMMON = 40
/** Memories that one is compared with, those first that share what is rarest. */
const COMPARED = 15

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
  const turns = new Turns()
  const memories: Comparable[] = []
  for (const memory of await within(kernel.db, scope, asked)) {
    memories.push(comparable(memory))
    await turns.give()
  }
  const rarity = rarityAmong(memories)
  const couples = await couplesOf(memories, rarity, turns)
  const known = await knownOf(
    kernel.db,
    scope,
    couples.map(([a, b]) => [a.memory.id, b.memory.id]),
    await likenessOf(kernel),
  )
  const pairs: Pair[] = []
  for (const [a, b] of couples) {
    await turns.give()
    const about = known.get(pairKey(a.memory.id, b.memory.id))
    const { dedup_threshold } = kernel.config.gardener
    const pair = about && pairOf(a, b, rarity, about, dedup_threshold)
    if (pair) pairs.push(pair)
  }
  return eachDroppedOnce(pairs).slice(0, most)
}

const anyOf = (topic: string): string =>
  [...wordsAsked(topic).keys()]
    .map((lexeme) => `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`)
    .join(' | ')

/** What two memories share: how many rare words, and what these are worth. */
interface Shared {
  words: number
  worth: number
}

/** Those that share rare words, each with the few that share most with it. */
async function couplesOf(
  memories: readonly Comparable[],
  rarity: Rarity,
  turns: Turns,
): Promise<[Comparable, Comparable][]> {
  const shared = await sharedAmong(memories, rarity, turns)
  const couples = new Map<string, [Comparable, Comparable]>()
  for (const [nth, others] of shared.entries()) {
    await turns.give()
    const likest = [...others]
      .filter(([, { words }]) => words >= SHARED)
      .toSorted(([a, x], [b, y]) => y.worth - x.worth || a - b)
    for (const [other] of likest.slice(0, COMPARED)) {
      const [a, b] = [Math.min(nth, other), Math.max(nth, other)]
      couples.set(`${a} ${b}`, [memories[a]!, memories[b]!])
    }
  }
  return [...couples.values()]
}

/** Of each memory what it shares with each of the others, by their places. */
async function sharedAmong(
  memories: readonly Comparable[],
  rarity: Rarity,
  turns: Turns,
): Promise<Map<number, Shared>[]> {
  const having = new Map<string, number[]>()
  for (const [nth, { features }] of memories.entries()) {
    for (const word of features.words.keys()) {
      const those = having.get(word)
      if (those) those.push(nth)
      else having.set(word, [nth])
    }
  }
  const shared = memories.map(() => new Map<number, Shared>())
  for (const [word, those] of having) {
    if (those.length > COMMON) continue
    await turns.give()
    const worth = rarity(word)
    for (const a of those) {
      for (const b of those) {
        if (a === b) continue
        const both = shared[a]!.get(b)
        shared[a]!.set(b, { words: (both?.words ?? 0) + 1, worth: (both?.worth ?? 0) + worth })
      }
    }
  }
  return shared
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
