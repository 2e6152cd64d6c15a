/**
 * Learning again and again: when the store has grown, and at night what was deleted is forgotten.
 *
 * A model is kept whole, then passages get its vectors, then it answers, and then the one before it goes. Each step is a
 * row, so the next process goes on where a killed one stopped, and the old model answers meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { fitModel } from './fitting.ts'
import { foldAll, foldQueued, type Going } from './fold-in.ts'
import {
  forgetModel,
  isKnown,
  keepModel,
  listLearned,
  serveModel,
  turn,
  type ModelRow,
} from './models.ts'
import { countOpen, GROWN } from './sample.ts'
import { FEWEST_PASSAGES, type StoreEmbedder } from './store-embedder.ts'

/** The hour of UTC from which on it is night. */
const NIGHT = 3

export interface LearnOptions extends Partial<Going> {
  /** Learns whatever there is, unless nothing can be learned of it. */
  anew?: boolean
}

/** Returns whether another model answers now. */
export async function learn(
  kernel: Kernel,
  embedder: StoreEmbedder,
  { going = () => true, lease, pace, anew = false }: LearnOptions = {},
): Promise<boolean> {
  const { db } = kernel
  for (const { number, state } of await listLearned(db)) {
    // Its bytes were never complete, or nobody asks it any more.
    const isOver = state === 'making' || (state === 'leaving' && (await isForgotten(db, number)))
    if (isOver) await forgetModel(kernel, number, going)
  }
  const begun = (await listLearned(db)).find(({ state }) => state === 'filling')
  const number = begun?.number ?? (await fitDue(kernel, { going, anew }))
  if (number === 0) {
    await embedder.refresh()
    return false
  }
  await embedder.refresh()
  const reader = embedder.readers().get(number)
  if (!reader) return false
  // Who wrote without knowing of it has ended, or is waited for: what they wrote is seen below.
  while (going() && !(await isKnown(db, number))) await sleep(50)
  if (!(await foldAll(kernel, number, reader, { going, lease, pace }))) return false
  await foldQueued(kernel, embedder.readers(), { going, lease })
  if (!going()) return false
  await serveModel(kernel, number)
  await embedder.refresh()
  kernel.log.info({ model: number, ...reader.checked }, 'what was learned of the passages answers')
  return true
}

/** The number of a new model; 0 when none is due, or there is too little to learn from: then none answers any more. */
async function fitDue(
  kernel: Kernel,
  { going, anew }: { going: () => boolean; anew: boolean },
): Promise<number> {
  const { db } = kernel
  const serving = (await listLearned(db)).find(({ state }) => state === 'serving')
  const open = await countOpen(db)
  if (!anew && serving && !(await isDue(db, serving, open))) return 0
  if (open < FEWEST_PASSAGES) {
    // Too few to learn from, and it still knows the words of all that was deleted.
    if (serving) await turn(db, serving.number, 'leaving')
    return 0
  }
  const fitted = await fitModel(kernel, going)
  if (!fitted) return 0
  return keepModel(kernel, fitted.bytes, fitted)
}

/** Grown by half; or a night has come since it was made. */
async function isDue(db: Db, { made_at, passages }: ModelRow, open: number): Promise<boolean> {
  if (open >= GROWN * passages) return true
  const { rows } = await sql<{ night: boolean }>`
    select ${made_at}::timestamptz < date_trunc('day', loam_now() at time zone 'UTC' - ${`${NIGHT} hours`}::interval)
      at time zone 'UTC' + ${`${NIGHT} hours`}::interval as night`.execute(db)
  return rows[0]?.night ?? false
}

/** How long a question that was begun may still ask for a model. */
const GRACE = '10 seconds'

async function isForgotten(db: Db, number: number): Promise<boolean> {
  const { rows } = await sql<{ over: boolean }>`
    select since < loam_now() - ${GRACE}::interval as over from models where number = ${number}`.execute(
    db,
  )
  return (rows[0]?.over ?? true) && (await isKnown(db, number))
}
