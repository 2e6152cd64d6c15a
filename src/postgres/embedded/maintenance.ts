/** VACUUM and ANALYZE for the embedded database, which has no autovacuum. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../../kernel/kernel.ts'
import type { Embedded } from './embedded.ts'

const TIDY_INTERVAL_MS = 60_000
/** Nobody at work for this long counts as idle. */
const IDLE_MS = 1_000
/** How often it is looked for an idle moment: the service itself asks something every few seconds. */
const MOST_BUSY = 15

interface Table {
  name: string
}

/** The table that has changed most since it was tidied, by the rule of PostgreSQL's autovacuum. */
const untidy = sql<Table>`
  select quote_ident(schemaname) || '.' || quote_ident(relname) as name
  from pg_stat_user_tables
  where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup
  order by greatest(n_dead_tup, n_mod_since_analyze) desc, name
  limit 1`

/** Tidies one table at a time, each with one statement, while nobody is at work. */
export function keepTidy(db: Db, embedded: Embedded, log: Logger): { stop(): Promise<void> } {
  let stopped = false
  let running: Promise<void> | undefined

  const isIdle = async (): Promise<boolean> => {
    const before = embedded.turns()
    await sleep(IDLE_MS, undefined, { ref: false })
    return before === embedded.turns() && before % 2 === 0
  }
  const tidy = async (): Promise<void> => {
    for (let busy = 0; !stopped && busy < MOST_BUSY;) {
      if (!(await isIdle())) busy++
      else if (stopped || !(await tidyOne(db, embedded))) return
    }
  }
  const timer = setInterval(() => {
    running ??= tidy()
      .catch((err: unknown) => log.warn({ err }, 'the embedded database could not be tidied'))
      .finally(() => (running = undefined))
  }, TIDY_INTERVAL_MS).unref()
  return {
    async stop() {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}

/** Vacuums and analyses the table that needs it most; false when none does. */
export async function tidyOne(db: Db, embedded: Pick<Embedded, 'unhurried'>): Promise<boolean> {
  // The engine reports its counts once a second at most, and only when it is asked something.
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await untidy.execute(db)
  const [table] = rows
  if (!table) return false
  await embedded.unhurried(() => sql`vacuum (analyze) ${sql.raw(table.name)}`.execute(db))
  return true
}
