/**
 * The schema, step by step: plain SQL files, forward only, one transaction each.
 *
 * Any number of processes may start at once. Each step is taken under one lock, and the
 * process that gets the lock reads again which steps are applied.
 */
import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from './database.ts'
import type { Db } from '../kernel/kernel.ts'
import { invalid, unavailable } from '../kernel/refusal.ts'
import { EXTENSIONS } from './start-proof.ts'
import { sqlState } from '../kernel/sql-state.ts'

export const MIGRATIONS = new URL('../../sql/migrations/', import.meta.url)

const NAME = /^(\d{4})_[a-z0-9_]+\.sql$/
/** Any number will do, as long as it never changes: all versions must take the same lock. */
const LOCK = 7_042_026_001

export interface Migration {
  number: number
  name: string
  text: string
  /** SHA-256 of the text, line ends as \n. */
  checksum: string
}

interface Applied {
  number: number
  name: string
  checksum: string
}

/** The steps in a folder, in order. A file whose name is no step's is an error, as are two of one number. */
export async function readMigrations(folder: URL = MIGRATIONS): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const numbers = names.map((name) => Number(NAME.exec(name)?.[1]))
  const wrong = names.find((_, at) => !((numbers[at] ?? 0) > (numbers[at - 1] ?? 0)))
  if (wrong) throw new Error(`${wrong} is not the name of a further step: NNNN_what.sql`)
  return Promise.all(
    names.map(async (name, at) => {
      const text = (await readFile(new URL(name, folder), 'utf8')).replaceAll('\r\n', '\n')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { number: numbers[at] ?? 0, name, text, checksum }
    }),
  )
}

/**
 * Brings the schema up to date and returns how many steps this process took.
 *
 * Refuses a schema that is newer than this version, or whose applied files have changed since.
 */
export async function migrate(
  database: Pick<Database, 'db' | 'unhurried'>,
  { log, folder = MIGRATIONS }: { log?: Logger; folder?: URL } = {},
): Promise<number> {
  const steps = await readMigrations(folder)
  return database.unhurried(async () => {
    let last: string | undefined
    for (let taken = 0; ; taken++) {
      const step = await takeNext(database.db, steps)
      if (!step) {
        if (last) log?.info({ steps: taken, last }, 'the schema was brought up to date')
        return taken
      }
      last = step.name
      log?.debug({ step: last }, 'the schema was brought one step further')
    }
  })
}

/** Applies the next step that is missing, or none. */
function takeNext(db: Db, steps: readonly Migration[]): Promise<Migration | undefined> {
  return db.transaction().execute(async (db) => {
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(db)
    await refuseForeign(db)
    await sql`
      create table if not exists schema_migrations (
        number integer primary key,
        name text not null,
        checksum text not null,
        applied_at timestamptz(3) not null default clock_timestamp()
      )`.execute(db)
    const { rows: applied } = await sql<Applied>`
      select number, name, checksum from schema_migrations order by number`.execute(db)
    check(applied, steps)
    const step = steps[applied.length]
    if (!step) return undefined
    await sql.raw(step.text).execute(db).catch(explain)
    await sql`
      insert into schema_migrations (number, name, checksum)
      values (${step.number}, ${step.name}, ${step.checksum})`.execute(db)
    return step
  })
}

/** Hosts name the database of any program in DATABASE_URL: one that holds tables, and none of ours, is left alone. */
async function refuseForeign(db: Db): Promise<void> {
  const { rows } = await sql<{ database: string; name: string }>`
    select current_database() as database, c.relname as name
    from pg_class c
    where c.relnamespace = to_regnamespace(quote_ident(current_schema())) and c.relkind in ('r', 'p')
      and not exists (
        select from pg_attribute
        where attrelid = to_regclass('schema_migrations') and attname = 'checksum')
      and not exists (
        select from pg_depend
        where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    order by c.relname
    limit 1`.execute(db)
  const [found] = rows
  if (!found) return
  throw unavailable(
    `the database ${found.database} belongs to another program: it holds the table "${found.name}" and none of Loam. ` +
      'Name an empty one in LOAM_DATABASE_URL, which goes before DATABASE_URL, or start Loam without both',
  )
}

function check(applied: readonly Applied[], steps: readonly Migration[]): void {
  const newest = applied.at(-1)?.number ?? 0
  const known = steps.at(-1)?.number ?? 0
  if (newest > known)
    throw unavailable(
      `the database's schema is at step ${newest} and this version of Loam knows ${known}: ` +
        'start the newer version again. A backup from before the update opens too, but lacks what was kept since',
    )
  for (const [index, { number, name, checksum }] of applied.entries()) {
    const step = steps[index]
    if (step?.number !== number || step.checksum !== checksum)
      throw invalid(
        `the schema step ${name} is not the one that was applied to this database: ` +
          'run an unchanged version of Loam',
      )
  }
}

function explain(error: unknown): never {
  const extension = /extension "(\w+)"/.exec(String(error))?.[1]
  if (sqlState(error) === '42501' && extension)
    throw unavailable(
      `the database user may not create the extension ${extension}: have a superuser run ` +
        `${EXTENSIONS.map((name) => `create extension if not exists ${name};`).join(' ')} there`,
      error,
    )
  throw error
}
