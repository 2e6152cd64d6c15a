/** The embedder that needs nothing: it reads by the models that were learned from the store's own passages. */
import type { Logger } from 'pino'
import type { Embedder, EmbedderState, Fold } from '../../kernel/embedder.ts'
import type { Db } from '../../kernel/kernel.ts'
import { wordsAsked } from '../../passages/passages.ts'
import { passageWords, readerOf, type Reader } from './model.ts'
import { listHeld, loadModel } from './models.ts'

export const STORE = 'store'

export interface StoreEmbedder extends Embedder {
  /** Loads what is new and lets go of what has left. */
  refresh(): Promise<void>
  readers(): ReadonlyMap<number, Reader>
}

/** Passages that must stand before anything is learned of them. */
export const FEWEST_PASSAGES = 300

/**
 * How late it may be seen that another process has learned something: for the first time, and anew. What is no longer asked
 * keeps its vectors for longer than that (GRACE in learn.ts).
 */
const [LOOK_MS, TURN_MS] = [1_000, 3_000]

const TOO_FEW = `nothing is learned yet: it begins at ${FEWEST_PASSAGES} passages that no fence hides`

/** Loads the models that are in use. */
export async function openStoreEmbedder(at: { db: Db; log: Logger }): Promise<StoreEmbedder> {
  const { db } = at
  let readers: ReadonlyMap<number, Reader> = new Map()
  let serving = 0
  let looking: Promise<void> | undefined
  let looked = 0

  async function look(): Promise<void> {
    looked = performance.now()
    const held = await listHeld(db)
    const turned = held.find(({ state }) => state === 'serving')?.number ?? 0
    const isNew = held.length !== readers.size || held.some(({ number }) => !readers.has(number))
    if (isNew) {
      const next = new Map<number, Reader>()
      for (const { number } of held) {
        const learned = readers.has(number) ? undefined : await loadModel(at, number)
        const reader = readers.get(number) ?? (learned && readerOf(learned))
        if (reader) next.set(number, reader)
      }
      readers = next
    }
    serving = readers.has(turned) ? turned : 0
  }
  const refresh = (): Promise<void> => (looking ??= look().finally(() => (looking = undefined)))
  await refresh()

  /** A look that is under way may have been answered before what its caller has just written. */
  async function refreshAnew(): Promise<void> {
    await looking?.catch(() => {})
    await refresh()
  }

  function state(): EmbedderState {
    const reader = readers.get(serving)
    return reader
      ? { on: true, learned: true, model: STORE, dims: reader.dims, number: serving }
      : { on: false, cause: TOO_FEW, misconfigured: false, chosen: true }
  }

  return {
    refresh: refreshAnew,
    readers: () => readers,
    state,

    async look() {
      // A small store has nothing learned, and each call of an agent asks.
      if (serving > 0 || performance.now() - looked >= LOOK_MS) await refresh()
      return state()
    },

    async embed(texts) {
      if (serving === 0 || performance.now() - looked >= TURN_MS) await refresh()
      const reader = readers.get(serving)
      if (!reader) return { kind: 'off', cause: TOO_FEW }
      const { knots, weight } = reader.checked
      return {
        model: serving,
        vectors: texts.map((text) => reader.read(wordsAsked(text)) ?? []),
        scale: { knots, weight, learned: true },
      }
    },

    fold(counts) {
      const folds: Fold[] = []
      for (const [model, reader] of readers) {
        const vector = reader.read(passageWords(counts))
        if (vector) folds.push({ model, vector })
      }
      return { folds, held: [...readers.keys()] }
    },

    async forgetDims() {},
    async close() {},
  }
}
