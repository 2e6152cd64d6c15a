/**
 * VACUUM and ANALYZE for the embedded database, which has no autovacuum.
 *
 * Without them no plan knows how large a table is, no index answers by itself, and what was replaced takes room for ever.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Db } from '../../kernel/kernel.ts'
import type { Embedded } from './embedded.ts'

export interface Tidying {
  /** Between two rounds. */
  everyMs: number
  /** How long it is looked whether anybody is at work. */
  lookMs: number
  /** Looks of a round. */
  looks: number
  /** When nobody ever rests for so long, one table is tidied in each round all the same. */
  longestWaitMs: number
  /** How often it is looked for a table that no plan knows yet. */
  soonMs: number
}

const USUAL: Tidying = {
  ...{ everyMs: 60_000, lookMs: 1_000, looks: 15, longestWaitMs: 600_000 },
  soonMs: 5_000,
}

/**
 * Of the time, the part that statements take while nobody counts as at work: the service itself asks something many times
 * a second.
 */
const MOST_WORK = 0.1

interface Table {
  name: string
}

/**
 * The table that needs it most. By the rule of PostgreSQL's autovacuum it is one that has changed by a part of its rows; but
 * what is counted is forgotten when the engine is closed, so it is also one that has grown since it was tidied, or never was.
 */
const untidy = sql<Table>`
  select quote_ident(s.schemaname) || '.' || quote_ident(s.relname) as name
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid,
    lateral (select greatest(c.reltuples, s.n_live_tup, 0) as rows, pg_relation_size(c.oid) / 8192 as pages) t
  where s.n_dead_tup > 50 + 0.2 * t.rows or s.n_mod_since_analyze > 50 + 0.1 * t.rows
    or t.pages > 8 + 1.2 * c.relpages
  order by greatest(s.n_dead_tup, s.n_mod_since_analyze) desc, t.pages - c.relpages desc, name
  limit 1`

/**
 * A table that an import fills, and no plan knows: what comes behind the import would ask it as if it were small, and keep
 * everybody from resting. What is known once stays right while it grows: plans go by its pages.
 */
const unknown = sql<Table>`
  select quote_ident(s.schemaname) || '.' || quote_ident(s.relname) as name
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where c.reltuples < 0 and s.n_mod_since_analyze > 1000
  order by s.n_mod_since_analyze desc, name
  limit 1`

type Engine = Pick<Embedded, 'unhurried' | 'workedMs' | 'isAtWork'>

/** Tidies one table at a time while nobody is at work, and in the end also where somebody always is. */
export function keepTidy(
  db: Db,
  embedded: Engine,
  log: Logger,
  { everyMs, lookMs, looks, longestWaitMs, soonMs }: Tidying = USUAL,
): { stop(): Promise<void> } {
  let stopped = false
  let restedMs = performance.now()

  const isIdle = async (): Promise<boolean> => {
    const [began, before] = [performance.now(), embedded.workedMs()]
    await sleep(lookMs, undefined, { ref: false })
    // On a busy machine a look takes longer than it was to take.
    const tookMs = performance.now() - began
    const idle = !embedded.isAtWork() && embedded.workedMs() - before < MOST_WORK * tookMs
    if (idle) restedMs = performance.now()
    return idle
  }
  const tidy = async (): Promise<void> => {
    for (let busy = 0; !stopped && busy < looks;) {
      if (!(await isIdle())) busy++
      else if (stopped || !(await tidyOne(db, embedded))) return
    }
    if (!stopped && performance.now() - restedMs > longestWaitMs) await tidyOne(db, embedded)
  }
  const tidyUnknown = async (): Promise<void> => {
    while (!stopped && (await tidyOne(db, embedded, unknown))) continue
  }
  const rounds = [repeated(tidy, everyMs, log), repeated(tidyUnknown, soonMs, log)]
  return {
    async stop() {
      stopped = true
      await Promise.all(rounds.map((each) => each.stop()))
    },
  }
}

/** Does it again and again; leaves one out that would overlap the one before. */
function repeated(work: () => Promise<void>, everyMs: number, log: Logger) {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= work()
      .catch((err: unknown) => log.warn({ err }, 'the embedded database could not be tidied'))
      .finally(() => (running = undefined))
  }, everyMs).unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}

/** Vacuums and analyses the table that `which` asks for: the one that needs it most. False when there is none. */
export async function tidyOne(
  db: Db,
  { unhurried }: Pick<Engine, 'unhurried'>,
  which = untidy,
): Promise<boolean> {
  // The engine reports its counts once a second at most, and only when it is asked something.
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await which.execute(db)
  const [table] = rows
  if (!table) return false
  const name = sql.raw(table.name)
  // Whoever asks something meanwhile waits for one of the two. Rows that nobody has read yet are not seen to be visible
  // to all, and the sample reads them.
  await unhurried(() => sql`analyze ${name}`.execute(db))
  await unhurried(() => sql`vacuum ${name}`.execute(db))
  return true
}
