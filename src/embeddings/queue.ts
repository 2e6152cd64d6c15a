/** The queue of items that may lack a vector, and what is kept of the work on it. */
import { sql } from 'kysely'
import pgvector from 'pgvector'
import type { Db } from '../kernel/kernel.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { FILLED } from './store.ts'

/** A passage that waits; `chunk` is null for an item that lacks no vector. */
export interface Due {
  kind: string
  id: string
  /** When the item was queued, which distinguishes a later change from this one. */
  seen: Date
  chunk: number | null
  hash: string | null
}

/** An item as one text. */
export const keyOf = ({ kind, id }: Pick<Due, 'kind' | 'id'>): string => `${kind} ${id}`

interface DueParams {
  model: number
  items: number
  passages: number
  left_out: string[]
}
export const listDue = sqlFile<DueParams, Due>('embeddings/due')

/** What was read of a passage. */
export interface Reading {
  kind: string
  id: string
  seen: Date
  chunk: number
  hash: string
  text: string
}

interface KeepParams {
  model: number
  kinds: string[]
  ids: string[]
  chunks: number[]
  hashes: string[]
  vectors: string[]
}
type Kept = Pick<Reading, 'kind' | 'id' | 'chunk'>
const keep = sqlFile<KeepParams, Kept>('embeddings/keep', { kept: true })

/** Returns those of the readings that were not kept: their passages say something else now, or are being written. */
export async function keepVectors<T extends Kept & Pick<Reading, 'hash'>>(
  db: Db,
  model: number,
  readings: readonly T[],
  vectors: readonly (readonly number[])[],
): Promise<T[]> {
  const kept = await keep(db, {
    model,
    kinds: readings.map(({ kind }) => kind),
    ids: readings.map(({ id }) => id),
    chunks: readings.map(({ chunk }) => chunk),
    hashes: readings.map(({ hash }) => hash),
    vectors: vectors.map((vector) => pgvector.toSql([...vector]) as string),
  })
  const place = ({ kind, id, chunk }: Kept): string => `${kind} ${id} ${chunk}`
  const there = new Set(kept.map(place))
  return readings.filter((reading) => !there.has(place(reading)))
}

type Item = Pick<Due, 'kind' | 'id' | 'seen'>
type UnqueueParams = { model: number; kinds: string[]; ids: string[]; seen: string[] }
const unqueue = sqlFile<UnqueueParams, { id: string }>('embeddings/unqueue', { kept: true })

/** Takes those of the items off the queue that lack nothing any more; returns how many. */
export async function unqueueDone(db: Db, model: number, items: readonly Item[]): Promise<number> {
  if (items.length === 0) return 0
  const done = await unqueue(db, {
    model,
    kinds: items.map(({ kind }) => kind),
    ids: items.map(({ id }) => id),
    seen: items.map(({ seen }) => seen.toISOString()),
  })
  return done.length
}

/** Seconds until an item is tried again: 30 after the first failure, then twice as long, six hours at most. */
const AGAIN = sql`least(30 * power(2, least(tries, 20)), 21600) * interval '1 second'`

/** Puts an item off that cannot be read, unless it was changed since. */
export async function postpone(db: Db, { kind, id, seen }: Item, error: string): Promise<void> {
  await db
    .updateTable('embedding_queue')
    .set({
      tries: sql<number>`tries + 1`,
      due_at: sql<Date>`loam_now() + ${AGAIN}`,
      error,
    })
    .where('kind', '=', kind)
    .where('id', '=', id)
    .where('queued_at', '=', seen)
    .execute()
}

/** Whether something waits that stood when all was queued for the model in use, and was not tried yet. */
export async function isReading(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('embedding_queue as q')
    .innerJoin('settings as s', (join) => join.on('s.key', '=', FILLED))
    .select('q.id')
    .where('q.tries', '=', 0)
    .whereRef('q.queued_at', '<=', 's.updated_at')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

interface FillParams {
  kind: string
  id: string
  limit: number
  model: number
  older_than: string | null
}
const fillNext = sqlFile<FillParams, { kind: string; id: string }>('embeddings/fill')

/** Items that one statement looks at: well under 100 ms on the embedded database. */
const FILLED_AT_ONCE = 1_000

/**
 * Queues every item that lacks a vector of the model, or every item there is when vectors older than
 * a time are to be made again. False when it was stopped before the end: it begins anew next time.
 */
export async function fillQueue(
  db: Db,
  model: number,
  { olderThan, going }: { olderThan?: string; going: () => boolean },
): Promise<boolean> {
  let last = { kind: '', id: '' }
  while (going()) {
    const older_than = olderThan ?? null
    const [row] = await fillNext(db, { ...last, limit: FILLED_AT_ONCE, model, older_than })
    if (!row) return true
    last = { kind: row.kind, id: row.id }
  }
  return false
}
