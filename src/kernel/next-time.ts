import { sql } from 'kysely'
import type { Db } from './kernel.ts'

/** Now by the database's clock, and later than `previous` by a millisecond at least. */
export async function nextTime(db: Db, previous?: Date): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`
    select greatest(loam_now(), ${previous ?? null}::timestamptz + interval '1 millisecond') as now`.execute(
    db,
  )
  return rows[0]!.now
}
