import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Logger } from 'pino'
import { openDatabase } from '../../../postgres/database.ts'
import type { Db } from '../../../kernel/kernel.ts'
import { invalid, unavailable } from '../../../kernel/refusal.ts'
import { migrate } from '../../../postgres/migrate.ts'
import type { Tables } from '../../../postgres/tables.ts'
import { assertTarget } from './target.ts'

export interface Copied {
  tables: number
  rows: number
}

interface Column {
  name: string
  type: string
  identity: boolean
}

interface Table {
  name: string
  columns: Column[]
}

/** Rows that one statement carries. */
const BATCH = 200

/** Filled by the first start of a service: a database where one of these has rows is in use. */
const SIGNS_OF_USE = ['store', 'files', 'events', 'projects', 'sessions']

/**
 * Copies every row into an empty server database, after bringing its schema up to date.
 *
 * One transaction reads, so that what is copied is one moment of the source, and one writes: the
 * target is filled or untouched. Values travel as PostgreSQL's own text, hence unchanged, except
 * for transaction ids, which mean nothing in another database and become 0.
 */
export async function copyTo(source: Db, url: string, log: Logger): Promise<Copied> {
  assertTarget(url)
  const target = await openDatabase({ url, pool: 2, dir: '', log })
  try {
    await migrate(target, { log })
    return await target.unhurried(() =>
      source.transaction().execute(async (from) => {
        await sql`set transaction isolation level repeatable read, read only`.execute(from)
        return target.db.transaction().execute((to) => copyAll(from, to))
      }),
    )
  } finally {
    await target.close()
  }
}

async function copyAll(from: Transaction<Tables>, to: Transaction<Tables>): Promise<Copied> {
  const tables = await listTables(from)
  const names = tables.map(({ name }) => name)
  const known = new Set((await listTables(to)).map(({ name }) => name))
  const foreign = names.filter((name) => !known.has(name))
  if (foreign.length > 0)
    throw invalid(`db copy: this version does not know the tables ${foreign.join(', ')}`)
  await refuseUsed(to, SIGNS_OF_USE)

  // What a migration put in is the source's to say.
  await sql`truncate ${sql.join(names.map((name) => sql.table(name)))}`.execute(to)
  let rows = 0
  await withoutRules(to, names, async () => {
    for (const table of tables) rows += await copyTable(from, to, table)
  })
  for (const table of tables) {
    await advanceSequences(to, table)
    await compare(from, to, table.name)
  }
  return { tables: tables.length, rows }
}

/** Triggers would act on rows a second time, and references hold only when all rows are there. */
export async function withoutRules(
  to: Transaction<Tables>,
  names: string[],
  work: () => Promise<void>,
): Promise<void> {
  const references = await listReferences(to)
  const each = async (state: RawBuilder<unknown>, triggers: RawBuilder<unknown>) => {
    for (const { table, name } of references)
      await sql`alter table ${sql.table(table)} alter constraint ${sql.ref(name)} ${state}`.execute(
        to,
      )
    for (const name of names)
      await sql`alter table ${sql.table(name)} ${triggers} trigger user`.execute(to)
  }
  await each(sql`deferrable initially deferred`, sql`disable`)
  await work()
  await sql`set constraints all immediate`.execute(to)
  await each(sql`not deferrable`, sql`enable`)
}

async function copyTable(
  from: Transaction<Tables>,
  to: Transaction<Tables>,
  { name, columns }: Table,
): Promise<number> {
  const texts = columns.map((column) => sql`${sql.ref(column.name)}::text`)
  const cursor = sql`
    declare copied no scroll cursor for
    select jsonb_build_array(${sql.join(texts)}) as row from ${sql.table(name)}`
  await cursor.execute(from)
  let copied = 0
  for (;;) {
    const fetched = sql<{ row: unknown[] }>`fetch ${sql.raw(String(BATCH))} from copied`
    const { rows } = await fetched.execute(from)
    if (rows.length === 0) break
    const batch = JSON.stringify(rows.map(({ row }) => row))
    await insert(name, columns, batch).execute(to)
    copied += rows.length
  }
  await sql`close copied`.execute(from)
  return copied
}

function insert(name: string, columns: Column[], batch: string): RawBuilder<unknown> {
  const values = columns.map(({ type }, index) =>
    type === 'xid8' ? sql`'0'::xid8` : sql`(copied.row ->> ${sql.lit(index)})::${sql.raw(type)}`,
  )
  return sql`
    insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column.name)))})
    overriding system value
    select ${sql.join(values)} from jsonb_array_elements(${batch}::jsonb) as copied (row)`
}

/** The next number of an identity column follows the highest that was copied. */
async function advanceSequences(to: Transaction<Tables>, { name, columns }: Table): Promise<void> {
  for (const { name: column } of columns.filter(({ identity }) => identity)) {
    await sql`
      select setval(pg_get_serial_sequence(quote_ident(${name}), ${column}),
                    coalesce(max(${sql.ref(column)}), 0) + 1, false)
      from ${sql.table(name)}`.execute(to)
  }
}

async function compare(from: Db, to: Db, name: string): Promise<void> {
  const [there, here] = [await count(from, name), await count(to, name)]
  if (there !== here)
    throw unavailable(
      `db copy: ${name} has ${there} rows here and ${here} there; nothing was copied`,
    )
}

async function refuseUsed(to: Db, names: string[]): Promise<void> {
  for (const name of names) {
    if ((await count(to, name)) > 0)
      throw invalid(
        `db copy: the target is not empty (table ${name} has rows); name an empty database`,
      )
  }
}

async function count(db: Db, name: string): Promise<number> {
  const counted = sql<{ rows: number }>`select count(*)::int as rows from ${sql.table(name)}`
  return (await counted.execute(db)).rows[0]?.rows ?? 0
}

/** Our own tables, but for the list of migrations, which the target has of its own. */
async function listTables(db: Db): Promise<Table[]> {
  const { rows } = await sql<Column & { table: string }>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
           a.attidentity <> '' as identity
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and a.attgenerated = '' and c.relname <> 'schema_migrations'
    order by c.relname, a.attnum`.execute(db)
  return [...Map.groupBy(rows, ({ table }) => table)].map(([name, columns]) => ({ name, columns }))
}

async function listReferences(db: Db): Promise<{ table: string; name: string }[]> {
  const { rows } = await sql<{ table: string; name: string }>`
    select c.relname as table, f.conname as name
    from pg_constraint f
    join pg_class c on c.oid = f.conrelid
    where f.contype = 'f' and f.conparentid = 0 and not f.condeferrable
      and f.connamespace = 'public'::regnamespace
    order by 1, 2`.execute(db)
  return rows
}
