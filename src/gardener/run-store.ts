/** When the gardener looked, what came of it, and how far it has looked. Only this file writes these rows. */
import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'

/** How far a pass has looked. */
export interface Mark {
  at: Date
  /** Of the memory written at that time; those before it in the order of ids are still to be looked at. */
  id: string
}

/** Before everything that is kept. */
const BEGINNING = { at: new Date(0), id: '' }

export async function readMark(db: Db, pass: string): Promise<Mark> {
  const row = await db
    .insertInto('gardener_marks')
    .values({ pass, ...BEGINNING })
    .onConflict((conflict) => conflict.column('pass').doUpdateSet({ pass }))
    .returning(['at', 'id'])
    .executeTakeFirstOrThrow()
  return row
}

/** Notes how far a pass has looked. What was written within a minute is looked at again: it may have company still. */
export async function putMark(
  db: Db,
  pass: string,
  { at, id }: Pick<Mark, 'at' | 'id'>,
): Promise<void> {
  const before = sql<Date>`loam_now() - interval '1 minute'`
  await db
    .updateTable('gardener_marks')
    .set({
      at: sql<Date>`least(${at}::timestamptz, ${before})`,
      id: sql<string>`case when ${at}::timestamptz > ${before} then '' else ${id} end`,
    })
    .where('pass', '=', pass)
    .execute()
}

/** What one pass of a run came to. */
export interface PassReport {
  pass: string
  proposed: number
  /** More there was than is proposed at once. */
  held_back: number
  /** Memories that it has not looked at yet. */
  left?: number
  ms: number
  /** Why it found nothing out. */
  failed?: string
}

/** Runs that the owner may look back on. */
const KEPT_RUNS = 100

export async function keepRun(
  db: Db,
  { id, ms, passes }: { id: string; ms: number; passes: readonly PassReport[] },
): Promise<void> {
  await db
    .insertInto('gardener_runs')
    .values({
      id,
      started_at: sql<Date>`loam_now() - ${ms} * interval '1 millisecond'`,
      passes: JSON.stringify(passes),
    })
    .execute()
  await sql`
    delete from gardener_runs where id < (
      select id from gardener_runs order by id desc offset ${KEPT_RUNS - 1} limit 1)`.execute(db)
}
