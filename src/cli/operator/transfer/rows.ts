import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Db, Kernel } from '../../../kernel/kernel.ts'
import { invalid, Refusal, unavailable } from '../../../kernel/refusal.ts'
import { sqlState } from '../../../kernel/sql-state.ts'
import { isTooLong, lines } from '../../client/bridge/lines.ts'
import { withoutRules } from './copy.ts'
import { add, type Imported } from './report.ts'
import { keptTables, ROWS, type Kept } from './tables.ts'

/** Rows as JSON objects, by table. */
export type TableRows = Map<string, Row[]>
type Row = Record<string, unknown>

/** Rows that one statement carries. */
const BATCH = 500

/** No row is longer, in bytes. */
const LONGEST = 256 * 1024 * 1024

/** What an export holds besides files; undefined when the folder is none. */
export async function rowsOf(folder: string): Promise<TableRows | undefined> {
  const tables: TableRows = new Map()
  for (const name of ROWS) {
    const rows = await readRows(folder, `${name}.jsonl`)
    if (rows) tables.set(name, rows)
  }
  return tables.size === 0 ? undefined : tables
}

/** Line by line, since the events of years are longer than a text may be. Undefined: there is no such table. */
async function readRows(folder: string, name: string): Promise<Row[] | undefined> {
  const rows: Row[] = []
  let n = 0
  try {
    const file = createReadStream(join(folder, 'rows', name))
    for await (const line of lines(file, { longest: LONGEST, keepBlank: true })) {
      n++
      if (isTooLong(line)) throw invalid(`import: rows/${name}:${n} is too long to be a row`)
      rows.push(...parseRow(line.toString('utf8'), `${name}:${n}`))
    }
    return rows
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (error instanceof Refusal) throw error
    throw unavailable(
      `import: rows/${name} cannot be read (${code ?? 'unknown'}); nothing was imported`,
      error,
    )
  }
}

function parseRow(line: string, where: string): Row[] {
  if (line.trim() === '') return []
  const row = asJson(line)
  if (typeof row === 'object' && row !== null && !Array.isArray(row)) return [row as Row]
  const what = row === undefined ? 'not JSON' : 'no row'
  throw invalid(`import: rows/${where} is ${what}; nothing was imported`)
}

function asJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * Adds the rows that are not here yet, all of them or none.
 *
 * Their triggers stay silent: the export holds what follows from an event as well.
 */
export async function importRows(
  { db }: Kernel,
  tables: TableRows,
  report: Imported,
): Promise<void> {
  if (tables.size === 0) return
  await db.transaction().execute(async (db) => {
    const kept = await keptTables(db)
    const names = kept.map(({ name }) => name)
    await withoutRules(db, names, async () => {
      for (const table of kept) await importTable(db, table, tables.get(table.name) ?? [], report)
    })
  })
}

async function importTable(
  db: Db,
  table: Kept,
  rows: readonly Record<string, unknown>[],
  report: Imported,
): Promise<void> {
  let added = 0
  for (let from = 0; from < rows.length; from += BATCH) {
    added += await insert(db, table, rows.slice(from, from + BATCH)).catch((error: unknown) => {
      // Data exceptions and broken rules: the row is at fault, not the database.
      if (!/^2[23]/.test(sqlState(error))) throw error
      throw invalid(
        `import: a row of ${table.name} holds a value that cannot be stored; nothing was imported`,
      )
    })
  }
  add(report, table.name, added)
  report.skipped += rows.length - added
}

/** A column that the row leaves out gets its default; one that is not known here is refused by name. */
async function insert(
  db: Db,
  { name, key, columns }: Kept,
  rows: readonly Record<string, unknown>[],
): Promise<number> {
  const given = new Set(rows.flatMap((row) => Object.keys(row)))
  const stray = [...given].find((column) => !columns.includes(column))
  if (stray !== undefined) {
    throw invalid(`import: this version does not know the column "${stray}" of ${name}`)
  }
  const into = columns.filter((column) => given.has(column))
  const same = key.map((column) => sql`t.${sql.ref(column)} = r.${sql.ref(column)}`)
  const { numAffectedRows = 0n } = await sql`
    insert into ${sql.table(name)} (${sql.join(into.map((column) => sql.ref(column)))}${txColumn(name)})
    select ${sql.join(into.map((column) => sql`r.${sql.ref(column)}`))}${txValue(name)}
    from jsonb_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(rows)}::jsonb) r
    where not exists (select from ${sql.table(name)} t where ${sql.join(same, sql` and `)})
    on conflict do nothing`.execute(db)
  return Number(numAffectedRows)
}

/** An event of another database happened before everything that this one's tail waits for. */
const txColumn = (table: string) => (table === 'events' ? sql`, tx` : sql``)
const txValue = (table: string) => (table === 'events' ? sql`, '0'::xid8` : sql``)
