/** The learning of a store whose embedder learns, or has one beside it that does. */
import type { Kernel } from '../kernel/kernel.ts'
import { foldQueued, type Going } from './learned/fold-in.ts'
import { learn, type LearnOptions } from './learned/learn.ts'
import type { StoreEmbedder } from './learned/store-embedder.ts'
import { finishLearning, reembedding } from './reembed.ts'

/** Learns when that is due, or when the owner asked for it. Returns whether another model answers now. */
export async function learnAgain(kernel: Kernel, options: LearnOptions = {}): Promise<boolean> {
  const store = learner(kernel)
  if (!store) return false
  const asked = kernel.embedder === store ? await reembedding(kernel.db) : undefined
  // For one that the owner asked for somebody waits.
  const how = asked ? { ...options, anew: true, pace: undefined } : options
  const turned = await learn(kernel, store, how)
  if (asked && (options.going?.() ?? true)) await finishLearning(kernel, asked)
  return turned
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
