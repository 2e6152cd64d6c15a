/**
 * Making every vector again, because the owner asked for it: by asking the provider again, or by learning anew. Its
 * state is a row: it outlives processes.
 */
import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { findSetting, putSetting } from '../kernel/settings.ts'
import { FILLED, REEMBED } from './store.ts'

export interface Reembed {
  running: boolean
  /** Items; `failed` of them could not be read at the last try. */
  total: number
  done: number
  failed: number
  startedAt: string | null
  finishedAt: string | null
}

interface Stored {
  total: number
  startedAt: string
  /** Whether everything is in the queue. */
  filled: boolean
  finishedAt: string | null
}

/** Starts it; the background goes on with it, and searches use the old vectors until the new ones exist. */
export async function reembed(kernel: Kernel): Promise<Reembed> {
  const { db, embedder } = kernel
  const state = await embedder.look()
  if (!state.on) throw conflict(`embeddings are off: ${state.cause}`)
  if ((await find(db))?.finishedAt === null) {
    throw conflict('all vectors are being made again already; see "loam embeddings status"')
  }
  await embedder.forgetDims()
  const { rows } = await sql<{ total: number; now: Date }>`
    select count(distinct (kind, id))::int as total, loam_now() as now from passages`.execute(db)
  const { total = 0, now = new Date() } = rows[0] ?? {}
  const started: Stored = {
    total,
    startedAt: now.toISOString(),
    filled: false,
    finishedAt: null,
  }
  await putSetting(db, REEMBED, started)
  return reembedProgress(db)
}

/** The one under way, if there is one. */
export async function reembedding(
  db: Db,
): Promise<(Stored & { markFilled(db: Db): Promise<void> }) | undefined> {
  const stored = await find(db)
  if (stored?.finishedAt !== null) return undefined
  return { ...stored, markFilled: (db) => putSetting(db, REEMBED, { ...stored, filled: true }) }
}

/** Ends it for a model that was learned anew: its vectors are complete before it answers. */
export async function finishLearning({ db }: Kernel, begun: Stored): Promise<void> {
  const { now } = await count(db)
  const { total, startedAt } = begun
  const ended = { total, startedAt, filled: true, finishedAt: now.toISOString() }
  await putSetting(db, REEMBED, ended satisfies Stored)
}

/** Ends it when all that stood when it began was tried. Returns whether it has ended now. */
export async function finishReembed({ db }: Kernel): Promise<boolean> {
  const stored = await find(db)
  if (stored?.finishedAt !== null || !stored.filled) return false
  const { waiting, now } = await count(db)
  if (waiting > 0) return false
  await putSetting(db, REEMBED, { ...stored, finishedAt: now.toISOString() } satisfies Stored)
  return true
}

export async function reembedProgress(db: Db): Promise<Reembed> {
  const stored = await find(db)
  if (!stored) {
    return { running: false, total: 0, done: 0, failed: 0, startedAt: null, finishedAt: null }
  }
  const { total, startedAt, filled, finishedAt } = stored
  const { waiting, failed } = await count(db)
  const done = filled ? Math.max(0, total - waiting - failed) : 0
  return { running: finishedAt === null, total, done, failed, startedAt, finishedAt }
}

const find = async (db: Db): Promise<Stored | undefined> =>
  (await findSetting(db, REEMBED)) as Stored | undefined

/**
 * Items to be made again that were not tried yet, and those that failed. What was written since all of them were queued
 * is read in any case: an item that is written again and again would never let it end.
 */
async function count(db: Db): Promise<{ waiting: number; failed: number; now: Date }> {
  const { rows } = await sql<{ waiting: number; failed: number; now: Date }>`
    select count(*) filter (where q.tries = 0 and q.queued_at <= s.updated_at)::int as waiting,
      count(*) filter (where q.tries > 0)::int as failed, loam_now() as now
    from embedding_queue q left join settings s on s.key = ${FILLED}
    where q.older_than is not null`.execute(db)
  return rows[0]!
}
