import type { Db, Kernel } from '../kernel/kernel.ts'
import {
  isTrouble,
  type Embedder,
  type EmbedderState,
  type Scale,
  type Vectors,
} from '../kernel/embedder.ts'
import { findSetting } from '../kernel/settings.ts'
import { scopeSql, type AnyScope } from '../projects/projects.ts'
import type { ItemKind } from '../passages/passages.ts'
import { similarityOf } from './scale.ts'
import { halfvec } from '../postgres/numbers.ts'
import { COMPLETE } from './store.ts'

/** A question as a vector, and the model that read it. */
export interface Meant {
  model: number
  vector: number[]
  /** Of a model that was checked on the store's own passages. */
  scale?: Scale
}

/** Why the provider gave no vector, and what another one makes of the question instead. */
export interface Unmeant {
  cause: string
  instead?: Meant
}

export interface Near {
  kind: ItemKind
  id: string
  /** Of the best passage: 1 is the same, 0 nothing. A cosine, unless the model has a scale of its own. */
  similarity: number
  /** That passage. */
  chunk: number
  /** Of the whole item, on the same scale: told by a model that was learned of passages. */
  whole?: number
}

export interface Filters {
  /** Memories of one kind only. */
  memoryKind?: string
  /** The items of that time, of which some are inactive today. */
  at?: Date
  /** How near the whole of each is, too. */
  wholes?: boolean
}

/** How a provider is asked while a caller waits for the answer. */
const ASKING = { deadlineMs: 1_000, attempts: 1 }

/**
 * The question as a vector; the cause when a configured provider gives none, undefined when none is
 * configured: of that nobody who asks can do anything. Waits a second at most.
 */
export async function embedQuery(
  { db, embedder }: Kernel,
  text: string,
): Promise<Meant | Unmeant | undefined> {
  const state = await seen(embedder)
  if (!state.on) return state.misconfigured ? { cause: state.cause } : undefined
  const { beside } = embedder
  // Two models in one list are never compared: until all is read, the one that is complete answers.
  if (beside && !(await isComplete(db, embedder, state.number)) && (await seen(beside)).on) {
    return besideIt(beside, text, `the vectors of ${state.model} are not complete yet`)
  }
  const answer = await embedder.embed([text], ASKING)
  if (!isTrouble(answer)) return meantBy(answer) ?? silent(state.learned)
  return beside ? besideIt(beside, text, answer.cause) : { cause: answer.cause }
}

/** One that is on looks for itself when it is asked. */
async function seen(embedder: Embedder): Promise<EmbedderState> {
  const state = embedder.state()
  return state.on ? state : embedder.look()
}

async function besideIt(beside: Embedder, text: string, cause: string): Promise<Unmeant> {
  const answer = await beside.embed([text], ASKING)
  const instead = isTrouble(answer) ? undefined : meantBy(answer)
  return instead ? { cause: `${cause}; ${INSTEAD}`, instead } : { cause }
}

const INSTEAD = 'what was learned of the passages themselves answers meanwhile'

/** The models that were seen complete, by embedder: they stay so. */
const seenComplete = new WeakMap<Embedder, number>()

async function isComplete(db: Db, embedder: Embedder, model: number): Promise<boolean> {
  if (model > 0 && seenComplete.get(embedder) === model) return true
  const complete = model > 0 && (await findSetting(db, COMPLETE)) === model
  if (complete) seenComplete.set(embedder, model)
  return complete
}

function meantBy({ model, vectors, scale }: Vectors): Meant | undefined {
  const [vector = []] = vectors
  return vector.length === 0 ? undefined : { model, vector, ...(scale && { scale }) }
}

/** A learned model may know too little of a question, of which nothing is to be said. */
const silent = (learned?: true): Unmeant | undefined =>
  learned ? undefined : { cause: 'the embedding provider is silent' }

type ExactParams = {
  model: number
  vector: Buffer
  kinds: readonly ItemKind[]
  memory_kind: string
  depth: number
}
/** Without an item when the scope has more passages than `most`. */
type Nearest = Pick<Near, 'similarity' | 'chunk'> & {
  kind: ItemKind | null
  id: string
  enough: boolean
  whole: number | null
}
const nearest = scopeSql<
  ExactParams & { near: number; most: number; wholes: boolean },
  Nearest,
  AnyScope
>('recall/meaning-exact', { kept: true })
const byBits = scopeSql<ExactParams & { near: number }, Near, AnyScope>('recall/meaning-bits')
const asItWas = scopeSql<ExactParams & { near: number; at: Date }, Near, AnyScope>(
  'recall/meaning-then',
)
const inScope = scopeSql<object, { passages: number }, AnyScope>('recall/passages-in-scope', {
  kept: true,
})

/** Numbers in a scope up to which every vector is compared: 2,000 passages of a usual model. */
const EXACT_NUMBERS = 2_000 * 1024
/**
 * Signs of fewer dimensions say too little to choose by, but for a learned model, which is turned so that they say as much
 * as they can. Short vectors are compared in less time than their signs are read, up to some number of passages.
 */
const FEWEST_BITS = 256
export const EXACT_PASSAGES = 50_000
/** Passages that signs choose, for a model of as many dimensions as a usual one. */
const NEAR = 300

/** More passages than there are. */
const EVERY = 2 ** 31 - 1

/** The items nearest in meaning, at most `depth`, each by its best passage. */
export async function byMeaning(
  db: Db,
  scope: AnyScope,
  meant: Meant,
  kinds: readonly ItemKind[],
  depth: number,
  { memoryKind = '', at, wholes: wanted = false }: Filters = {},
): Promise<Near[]> {
  const { model, vector, scale } = meant
  const dims = vector.length
  // Vectors of a learned model add up, those of others were never said to.
  const asksWholes = wanted && scale?.learned === true
  const params = { model, vector: halfvec(vector), kinds, memory_kind: memoryKind, depth }
  const shortest = scale?.learned ? EXACT_PASSAGES : EVERY
  const most = dims < FEWEST_BITS ? shortest : Math.floor(EXACT_NUMBERS / dims)
  const exact = at ? undefined : await exactly(db, scope, { ...params, most, wholes: asksWholes })
  if (exact) return exact.map((one) => scaled(one, scale))

  const near = Math.round(Math.max(NEAR * Math.max(1, 1024 / dims), 5 * depth))
  const found = at
    ? await asItWas(db, scope, {
        ...params,
        at,
        near: (await isFew(db, scope, most)) ? EVERY : near,
      })
    : await byBits(db, scope, { ...params, near })
  const whole = asksWholes ? await wholesOf(db, scope, meant, found) : new Map<string, number>()
  return found.map((one) => scaled({ ...one, ...wholeOf(whole.get(keyOf(one))) }, scale))
}

const keyOf = ({ kind, id }: Pick<Near, 'kind' | 'id'>): string => `${kind} ${id}`

const wholeOf = (whole: number | null | undefined) => (whole == null ? {} : { whole })

/** On the scale of the model. */
function scaled({ similarity, whole, ...one }: Near, scale: Scale | undefined): Near {
  const on = (cosine: number): number => (scale ? similarityOf(scale.knots, cosine) : cosine)
  return { ...one, similarity: on(similarity), ...wholeOf(whole === undefined ? whole : on(whole)) }
}

async function isFew(db: Db, scope: AnyScope, most: number): Promise<boolean> {
  const [counted] = await inScope(db, scope, {})
  return (counted?.passages ?? 0) <= most
}

/** Passages that one statement keeps, for each item that is asked for: of most items one or two are near. */
const PASSAGES_OF_ITEM = 4
const FEWEST_PASSAGES = 100

/**
 * To keep the nearest passages takes less time than to find the best one of every item. Undefined in a scope of more than
 * `most` passages.
 */
async function exactly(
  db: Db,
  scope: AnyScope,
  params: ExactParams & { most: number; wholes: boolean },
): Promise<Near[] | undefined> {
  let near = Math.max(FEWEST_PASSAGES, PASSAGES_OF_ITEM * params.depth)
  for (; ; near *= 8) {
    const rows = await nearest(db, scope, { ...params, near: Math.min(near, EVERY) })
    if (rows[0]?.kind === null) return undefined
    if (rows.every(({ enough }) => enough)) return rows.flatMap(nearOf)
  }
}

const nearOf = ({ kind, id, similarity, chunk, whole }: Nearest): Near[] =>
  kind === null ? [] : [{ kind, id, similarity, chunk, ...wholeOf(whole) }]

type Items = { model: number; vector: Buffer; kinds: string[]; ids: string[] }
const wholes = scopeSql<Items, Pick<Near, 'kind' | 'id' | 'similarity'>, AnyScope>(
  'recall/meaning-whole',
  { kept: true },
)

/**
 * How near the whole of each of these is. A long text is about what its passages have in common, and one of many passages
 * is near to a question by chance.
 */
async function wholesOf(
  db: Db,
  scope: AnyScope,
  { model, vector }: Meant,
  found: readonly Near[],
): Promise<Map<string, number>> {
  if (found.length === 0) return new Map()
  const rows = await wholes(db, scope, {
    ...{ model, vector: halfvec(vector) },
    kinds: found.map(({ kind }) => kind),
    ids: found.map(({ id }) => id),
  })
  return new Map(rows.map((row) => [keyOf(row), row.similarity]))
}
