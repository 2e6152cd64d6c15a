import { sql } from 'kysely'
import type { Db } from '../../src/kernel/kernel.ts'
import { sqlState } from '../../src/kernel/sql-state.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { bareKernel } from './kernel.ts'

/** A new database begins with these rows. */
const KEPT = ['clock', 'schema_migrations']
const DEADLOCK = '40P01'
const TRIES = 10

/** Looks at most; a background that goes on writing would keep them going. */
const LOOKS = 10

/**
 * Leaves every table as a new database has it, apart from `kept`. Only those that hold rows are
 * truncated, because each one costs the database several files. Looks again until none does: work
 * in the background may move rows from a table that was seen full to one that was seen empty.
 */
export async function emptyTables(db: Db, kept: readonly string[] = []): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname <> all(${[...KEPT, ...kept]})
    order by name`.execute(db)
  const holding = rows.map(
    ({ name }) =>
      sql`select ${sql.lit(name)} as name where exists (select from ${sql.table(name)})`,
  )
  for (let looks = 0; looks < LOOKS; looks++) {
    const full = await sql<{ name: string }>`${sql.join(holding, sql` union all `)}`.execute(db)
    if (full.rows.length === 0) break
    const names = sql.join(full.rows.map(({ name }) => sql.table(name)))
    await patiently(db, (own) => sql`truncate ${names} cascade`.execute(own))
  }
  await sql`update clock set shift = '0' where shift <> '0'`.execute(db)
}

/** A house that lives works in its background: it may hold one table and wait for another. */
async function patiently(db: Db, work: (db: Db) => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await inTransaction(bareKernel({ db }), (own) => work(own.db))
      return
    } catch (error) {
      if (sqlState(error) !== DEADLOCK || tries === TRIES) throw error
    }
  }
}
