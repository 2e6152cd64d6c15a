/** The learning of a store whose embedder learns, or has one beside it that does. */
import type { Kernel } from '../kernel/kernel.ts'
import { foldQueued, type Going } from './learned/fold-in.ts'
import { ChildEnded } from './learned/child.ts'
import { learn, type LearnOptions } from './learned/learn.ts'
import type { StoreEmbedder } from './learned/store-embedder.ts'
import { finishLearning, reembedding } from './reembed.ts'

/** Learns when that is due, or when the owner asked for it. Returns whether another model answers now. */
export async function learnAgain(kernel: Kernel, options: LearnOptions = {}): Promise<boolean> {
  const store = learner(kernel)
  if (!store) return false
  const asked = await askedFor(kernel, store)
  // For one that the owner asked for somebody waits.
  const how = asked ? { ...options, anew: true, pace: undefined } : options
  const turned = await learn(kernel, store, how)
  if (asked && (options.going?.() ?? true)) await finishLearning(kernel, asked)
  return turned
}

/** What the owner asked for, and is not yet learned. */
const askedFor = async (kernel: Kernel, store = learner(kernel)) =>
  store && kernel.embedder === store ? reembedding(kernel.db) : undefined

const MINUTE_MS = 60_000
const LONGEST_REST_MS = 360 * MINUTE_MS

export type Learning = (kernel: Kernel, options: LearnOptions) => Promise<boolean>

/**
 * The same for a timer. A machine that has too little memory for it ends the process that learns, each time after all
 * passages were read for it. So it is tried again by the next turn of the timer, and then after twice as long each time,
 * unless the owner asks for it meanwhile.
 *
 * @param now milliseconds of a clock that is never set
 */
export function learningInTurns(now = (): number => performance.now()): Learning {
  let ended = 0
  let restsUntilMs = -Infinity
  /** When the owner had asked for what was tried last. */
  let tried: string | undefined
  return async (kernel, options) => {
    const asked = (await askedFor(kernel))?.startedAt
    if (now() < restsUntilMs && (asked === undefined || asked === tried)) return false
    tried = asked
    try {
      const turned = await learnAgain(kernel, options)
      ended = 0
      return turned
    } catch (error) {
      if (!(error instanceof ChildEnded)) throw error
      const restMs = ended === 0 ? 0 : Math.min(MINUTE_MS * 2 ** ended, LONGEST_REST_MS)
      ended++
      restsUntilMs = now() + restMs
      kernel.log.error(
        { cause: error.message, rest_minutes: restMs / MINUTE_MS },
        'nothing was learned of the passages; when it was ended by SIGKILL the machine may have too little memory',
      )
      return false
    }
  }
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
