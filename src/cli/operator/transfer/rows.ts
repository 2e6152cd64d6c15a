import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Db, Kernel } from '../../../kernel/kernel.ts'
import { invalid } from '../../../kernel/refusal.ts'
import { sqlState } from '../../../kernel/sql-state.ts'
import { withoutRules } from './copy.ts'
import { add, type Imported } from './report.ts'
import { keptTables, ROWS, type Kept } from './tables.ts'

/** Rows as JSON objects, by table. */
export type TableRows = Map<string, Record<string, unknown>[]>

/** Rows that one statement carries. */
const BATCH = 500

/** What an export holds besides files; undefined when the folder is none. */
export async function rowsOf(folder: string): Promise<TableRows | undefined> {
  const tables: TableRows = new Map()
  for (const name of ROWS) {
    const path = join(folder, 'rows', `${name}.jsonl`)
    const text = await readFile(path, 'utf8').catch(() => undefined)
    if (text === undefined) continue
    tables.set(
      name,
      text.split('\n').flatMap((line, n) => parseRow(line, `${name}.jsonl:${n + 1}`)),
    )
  }
  return tables.size === 0 ? undefined : tables
}

function parseRow(line: string, where: string): Record<string, unknown>[] {
  if (line.trim() === '') return []
  try {
    return [JSON.parse(line) as Record<string, unknown>]
  } catch {
    throw invalid(`import: rows/${where} is not JSON; nothing was imported`)
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
