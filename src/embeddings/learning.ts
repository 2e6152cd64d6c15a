/** The learning of a store whose embedder learns, or has one beside it that does. */
import type { Kernel } from '../kernel/kernel.ts'
import { foldQueued, type Going } from './learned/fold-in.ts'
import { learn, type LearnOptions } from './learned/learn.ts'
import type { StoreEmbedder } from './learned/store-embedder.ts'

/** Learns when that is due. Returns whether another model answers now. */
export async function learnAgain(kernel: Kernel, options?: LearnOptions): Promise<boolean> {
  const store = learner(kernel)
  return store ? learn(kernel, store, options) : false
}

/** Reads what was written by processes that did not hold every model; returns how many items there were. */
export async function foldLeft(kernel: Kernel, going: Going): Promise<number> {
  const store = learner(kernel)
  if (!store || store.readers().size === 0) return 0
  return foldQueued(kernel, store.readers(), going)
}

function learner({ embedder }: Kernel): StoreEmbedder | undefined {
  const found = embedder.beside ?? embedder
  return 'readers' in found ? (found as StoreEmbedder) : undefined
}
