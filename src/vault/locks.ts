/** The locks of the vault: one for each path, in the database, where every process finds it. */
import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { lockKey } from './paths.ts'

/**
 * Advisory locks, held until the transaction ends, taken in one order by all writers. Returns the
 * database's time once they are held.
 */
export const lockPaths = (db: Db, paths: readonly string[]): Promise<Date> =>
  lockKeys(db, [...new Set(paths.map(lockKey))])

export async function lockKeys(db: Db, keys: readonly string[]): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`
    with held as materialized (
      select count(pg_advisory_xact_lock(key))
      from (select key from unnest(${keys}::bigint[]) as key order by key offset 0) as sorted
    )
    select loam_now() as now from held`.execute(db)
  return rows[0]!.now
}

/**
 * Takes those of the locks that nobody else holds, and waits for none. Returns the database's time after that, and
 * the keys that are held.
 */
export async function tryLocks(
  db: Db,
  keys: readonly string[],
): Promise<{ now: Date; held: ReadonlySet<string> }> {
  const { rows } = await sql<{ now: Date; held: string[] }>`
    with held as materialized (
      select coalesce(array_agg(key::text) filter (where pg_try_advisory_xact_lock(key)), '{}') as keys
      from (select key from unnest(${keys}::bigint[]) as key order by key offset 0) as sorted
    )
    select loam_now() as now, keys as held from held`.execute(db)
  const { now, held } = rows[0]!
  return { now, held: new Set(held) }
}
