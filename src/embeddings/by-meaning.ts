import type { Db, Kernel } from '../kernel/kernel.ts'
import { isTrouble } from '../kernel/embedder.ts'
import { scopeSql, type AnyScope } from '../projects/projects.ts'
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
  /** That passage. */
  chunk: number
}

export interface Filters {
  /** Memories of one kind only. */
  memoryKind?: string
  /** The items of that time, of which some are inactive today. */
  at?: Date
}

/** How a provider is asked while a caller waits for the answer. */
const ASKING = { deadlineMs: 1_000, attempts: 1 }

/**
 * The question as a vector; the cause when a configured provider gives none, undefined when none is
 * configured: of that nobody who asks can do anything. Waits a second at most.
 */
export async function embedQuery(
  { embedder }: Kernel,
  text: string,
): Promise<Meant | { cause: string } | undefined> {
  const state = embedder.state()
  if (!state.on) return state.misconfigured ? { cause: state.cause } : undefined
  const answer = await embedder.embed([text], ASKING)
  if (isTrouble(answer)) return { cause: answer.cause }
  const [vector] = answer.vectors
  return vector ? { model: answer.model, vector } : { cause: 'the embedding provider is silent' }
}

type ExactParams = {
  model: number
  vector: string
  kinds: readonly ItemKind[]
  memory_kind: string
  depth: number
}
const exactly = scopeSql<ExactParams, Near, AnyScope>('recall/meaning-exact')
const byBits = scopeSql<ExactParams & { near: number }, Near, AnyScope>('recall/meaning-bits')
const asItWas = scopeSql<ExactParams & { near: number; at: Date }, Near, AnyScope>(
  'recall/meaning-then',
)
const inScope = scopeSql<object, { passages: number }, AnyScope>('recall/passages-in-scope')

/** Numbers in a scope up to which every vector is compared: 2,000 passages of a usual model. */
const EXACT_NUMBERS = 2_000 * 1024
/** Signs of fewer dimensions say too little to choose by. */
const FEWEST_BITS = 256
/** Passages that signs choose, for a model of as many dimensions as a usual one. */
const NEAR = 300

/** More passages than there are. */
const EVERY = 2 ** 31 - 1

/** The items nearest in meaning, at most `depth`, each by its best passage. */
export async function byMeaning(
  db: Db,
  scope: AnyScope,
  { model, vector }: Meant,
  kinds: readonly ItemKind[],
  depth: number,
  { memoryKind = '', at }: Filters = {},
): Promise<Near[]> {
  const [counted] = await inScope(db, scope, {})
  const dims = vector.length
  const params = { model, vector: halfvec(vector), kinds, memory_kind: memoryKind, depth }
  const passages = counted?.passages ?? 0
  const near = Math.round(Math.max(NEAR * Math.max(1, 1024 / dims), 5 * depth))
  const exact = dims < FEWEST_BITS || passages * dims <= EXACT_NUMBERS
  if (at) return asItWas(db, scope, { ...params, at, near: exact ? EVERY : near })
  return exact ? exactly(db, scope, params) : byBits(db, scope, { ...params, near })
}
