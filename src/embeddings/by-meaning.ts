import type { Db, Kernel } from '../kernel/kernel.ts'
import { isTrouble } from '../kernel/embedder.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import type { ItemKind } from '../passages/passages.ts'
import { halfvec } from './store.ts'

/** A question as a vector, and the model that read it. */
export interface Meant {
  model: number
  vector: number[]
}

export interface Near {
  kind: ItemKind
  id: string
  /** Cosine of the best passage: 1 is the same direction, 0 none. */
  similarity: number
}

export interface Filters {
  /** Memories of one kind only. */
  memoryKind?: string
  /** The items of that time, of which some are inactive today. */
  at?: Date
}

/** Patience with the provider while somebody waits for an answer. */
const ASKING = { deadlineMs: 1_000, attempts: 1 }

/**
 * The question as a vector; the cause when there is none, undefined when the owner wants none. Waits
 * a second at most.
 */
export async function embedQuery(
  { embedder }: Kernel,
  text: string,
): Promise<Meant | { cause: string } | undefined> {
  const state = embedder.state()
  if (!state.on) return state.chosen ? undefined : { cause: state.cause }
  const answer = await embedder.embed([text], ASKING)
  if (isTrouble(answer)) return { cause: answer.cause }
  const [vector] = answer.vectors
  return vector ? { model: answer.model, vector } : { cause: 'the embedding provider is silent' }
}

/** What a search looks into. A Scope is one; the owner's search goes past every fence. */
export interface Where {
  searched: readonly string[]
  everywhere?: boolean
}

type Search = Required<Where>
type ExactParams = Search & {
  model: number
  vector: string
  kinds: readonly ItemKind[]
  memory_kind: string
  depth: number
}
const exactly = sqlFile<ExactParams, Near>('recall/meaning-exact')
const byBits = sqlFile<ExactParams & { near: number }, Near>('recall/meaning-bits')
const asItWas = sqlFile<ExactParams & { near: number; at: Date }, Near>('recall/meaning-then')
const inScope = sqlFile<Search, { passages: number }>('recall/passages-in-scope')

/** Numbers in a scope up to which every vector is compared: 2,000 passages of a usual model. */
const EXACT_NUMBERS = 2_000 * 1024
/** Signs of fewer dimensions say too little to choose by. */
const FEWEST_BITS = 256
/** Passages that signs choose, for a model of as many dimensions as a usual one. */
const NEAR = 300

/** More passages than there are. */
const EVERY = 2 ** 31 - 1

/** The items that mean most nearly the same, at most `depth`, each by its best passage. */
export async function byMeaning(
  db: Db,
  { searched, everywhere = false }: Where,
  { model, vector }: Meant,
  kinds: readonly ItemKind[],
  depth: number,
  { memoryKind = '', at }: Filters = {},
): Promise<Near[]> {
  const where = { searched, everywhere }
  const [scope] = await inScope(db, where)
  const dims = vector.length
  const params = { ...where, model, vector: halfvec(vector), kinds, memory_kind: memoryKind, depth }
  const passages = scope?.passages ?? 0
  const near = Math.round(Math.max(NEAR * Math.max(1, 1024 / dims), 5 * depth))
  const exact = dims < FEWEST_BITS || passages * dims <= EXACT_NUMBERS
  if (at) return asItWas(db, { ...params, at, near: exact ? EVERY : near })
  return exact ? exactly(db, params) : byBits(db, { ...params, near })
}
