/**
 * The months of the transport events: made ahead, dropped when their time is over. Only whole months
 * go, and only those of transport kinds; acts are kept for ever.
 */
import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { inTransaction } from './transaction.ts'

const TABLES = ['events', 'event_items'] as const
type MonthlyTable = (typeof TABLES)[number]

/** Made at least this far ahead, the running month included. */
const MONTHS_AHEAD = 3

/** A month of UTC, as `2026_11`. */
type Month = string

/** For a timer, hourly: makes the months that are coming and drops those past their retention. */
export async function keepEventMonths(kernel: Kernel): Promise<void> {
  const days = kernel.config.events.transport_retention_days
  const { rows } = await sql<{ now: Date; oldest: Date }>`
    select loam_now() as now, loam_now() - ${days} * interval '1 day' as oldest`.execute(kernel.db)
  const [{ now, oldest } = { now: new Date(), oldest: new Date(0) }] = rows
  for (const table of TABLES) {
    const standing = await monthsOf(kernel.db, table)
    for (let ahead = 0; ahead < MONTHS_AHEAD; ahead++) {
      const month = monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)))
      if (!standing.includes(month)) await makeMonth(kernel, table, month)
    }
    for (const month of standing) {
      if (startOf(month, 1) <= oldest) await dropMonth(kernel, table, month)
    }
    await dropStrays(kernel, table, oldest)
  }
}

const monthOf = (time: Date): Month => time.toISOString().slice(0, 7).replace('-', '_')

function startOf(month: Month, later = 0): Date {
  const [year = 0, number = 1] = month.split('_').map(Number)
  return new Date(Date.UTC(year, number - 1 + later))
}

async function monthsOf(db: Db, table: MonthlyTable): Promise<Month[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${`${table}_transport`}::regclass order by c.relname`.execute(db)
  const prefix = `${table}_transport_`
  return rows.map(({ name }) => name.slice(prefix.length)).filter((m) => /^\d{4}_\d\d$/.test(m))
}

/** Rows of the month that wait in the default partition move with it, or it could not be attached. */
function makeMonth(kernel: Kernel, table: MonthlyTable, month: Month): Promise<void> {
  return alone(kernel, table, async (db) => {
    if ((await monthsOf(db, table)).includes(month)) return
    const parent = sql.table(`${table}_transport`)
    const strays = sql.table(`${table}_transport_default`)
    const own = sql.table(`${table}_transport_${month}`)
    const [from, to] = [
      sql.lit(startOf(month).toISOString()),
      sql.lit(startOf(month, 1).toISOString()),
    ]
    // The parent first. An insert that waited for the default partition alone would still go there and
    // be refused, and a search would look for the moved rows where they no longer are.
    await sql`lock table only ${parent} in access exclusive mode`.execute(db)
    await sql`lock table ${strays} in access exclusive mode`.execute(db)
    await sql`create table ${own} (like ${parent} including defaults)`.execute(db)
    await sql`
      with moved as (delete from ${strays} where ts >= ${from} and ts < ${to} returning *)
      insert into ${own} select * from moved`.execute(db)
    await sql`alter table ${parent} attach partition ${own} for values from (${from}) to (${to})`.execute(
      db,
    )
  })
}

function dropMonth(kernel: Kernel, table: MonthlyTable, month: Month): Promise<void> {
  return alone(kernel, table, async (db) => {
    await sql`drop table if exists ${sql.table(`${table}_transport_${month}`)}`.execute(db)
  })
}

/** Drops old rows of the default partition, whose month was never made. */
async function dropStrays({ db }: Kernel, table: MonthlyTable, oldest: Date): Promise<void> {
  const gone = startOf(monthOf(oldest)).toISOString()
  await sql`
    delete from ${sql.table(`${table}_transport_default`)} where ts < ${gone}::timestamptz`.execute(
    db,
  )
}

/** Two processes make no month twice. */
function alone(kernel: Kernel, table: string, work: (db: Db) => Promise<void>): Promise<void> {
  return inTransaction(kernel, async ({ db }) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`months of ${table}`}, 0))`.execute(
      db,
    )
    await work(db)
  })
}
