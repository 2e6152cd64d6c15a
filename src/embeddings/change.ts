/** What a configured model has yet to read before it answers: how much, for how long, and what answers meanwhile. */
import type { Kernel } from '../kernel/kernel.ts'
import { findSetting, putSetting } from '../kernel/settings.ts'
import { countVectors, type VectorCounts } from './counts.ts'
import { COMPLETE, PACE } from './store.ts'

export interface Change {
  model: string
  /** Active passages: those that it has read, and all. */
  made: number
  total: number
  /** How long the rest takes at the pace of what it read last; null while that is not known. */
  seconds: number | null
  /** Whether what was learned of the passages answers until then; words alone do otherwise. */
  learned: boolean
}

/** How fast a model reads. */
interface Pace {
  model: number
  /** Passages a second, without the time for which the provider was left alone. */
  speed: number
}

/**
 * What is to be read by a model that is configured and not complete; undefined when nothing is. `counts` are those of
 * `countVectors`.
 */
export async function changeOf(
  { db, embedder }: Kernel,
  counts?: VectorCounts,
): Promise<Change | undefined> {
  const state = embedder.state()
  if (!state.on || state.learned) return undefined
  const { model, number } = state
  if (number > 0 && (await findSetting(db, COMPLETE)) === number) return undefined
  const { passages: total, unread } = counts ?? (await countVectors(db, number))
  if (unread === 0) return undefined
  const pace = (await findSetting(db, PACE)) as Pace | undefined
  const seconds = pace?.model === number ? Math.ceil(unread / pace.speed) : null
  const learned = embedder.beside?.state().on === true
  return { model, made: total - unread, total, seconds, learned }
}

/** At which intervals the pace is written down, in milliseconds. */
const NOTED_EVERY_MS = 5_000
/** The part of the last batch in what is noted: some ten batches count. */
const SHARE = 0.2

/** Keeps the pace of a worker, and writes it down now and then. */
export function pacer(): (
  kernel: Kernel,
  batch: { passages: number; ms: number },
) => Promise<void> {
  let pace: Pace | undefined
  let notedAtMs = -Infinity
  return async ({ db, embedder }, { passages, ms }) => {
    const state = embedder.state()
    if (!state.on || ms <= 0) return
    const speed = (1_000 * passages) / ms
    const before = pace?.model === state.number ? pace.speed : speed
    pace = { model: state.number, speed: (1 - SHARE) * before + SHARE * speed }
    if (performance.now() - notedAtMs < NOTED_EVERY_MS) return
    notedAtMs = performance.now()
    await putSetting(db, PACE, pace)
  }
}
