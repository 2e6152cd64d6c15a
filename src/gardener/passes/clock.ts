/** The time by which passes count days: the database's, as a value, so that a query by it can use an index. */
import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'

export const DAY_MS = 24 * 60 * 60 * 1000

export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select loam_now() as now`.execute(db)
  return rows[0]!.now
}

/** How many whole days ago it was. */
export const daysSince = (time: Date, now: Date): number =>
  Math.floor((now.getTime() - time.getTime()) / DAY_MS)
