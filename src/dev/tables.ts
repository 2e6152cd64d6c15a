/**
 * Writes src/postgres/tables.ts from the migrated schema: `npm run db:types` after a migration.
 *
 * The migrations run on an embedded database in memory, so no server is needed. With `--check`
 * it writes nothing, and the exit code says whether the file is up to date.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { unaccent } from '@electric-sql/pglite/contrib/unaccent'
import { vector } from '@electric-sql/pglite-pgvector'

const MIGRATIONS = new URL('../../sql/migrations/', import.meta.url)
const TABLES = new URL('../postgres/tables.ts', import.meta.url)

const TYPES: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  float4: 'number',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  jsonb: 'unknown',
  timestamptz: 'Timestamp',
}

interface Column {
  table: string
  name: string
  type: string
  nullable: boolean
  defaulted: boolean
  generated: boolean
}

async function columns(): Promise<Column[]> {
  const db = new PGlite({ extensions: { vector, btree_gin, pg_trgm, unaccent } })
  const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort()
  for (const name of files) await db.exec(await readFile(new URL(name, MIGRATIONS), 'utf8'))
  const { rows } = await db.query<Column>(`
    select c.relname as table, a.attname as name, t.typname as type, not a.attnotnull as nullable,
           a.atthasdef or a.attidentity <> '' as defaulted, a.attgenerated <> '' as generated
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_type t on t.oid = a.atttypid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname, a.attnum`)
  await db.close()
  return rows
}

function columnType({ type, nullable, defaulted, generated }: Column): string {
  const array = type.startsWith('_')
  const one = TYPES[array ? type.slice(1) : type] ?? 'string'
  const whole = (array ? `${one}[]` : one) + (nullable ? ' | null' : '')
  if (generated) return `Generated<${whole}>`
  return defaulted ? `Defaulted<${whole}>` : whole
}

const pascal = (name: string): string =>
  name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

const GENERATED = `/** A column that PostgreSQL computes: never written. */
type Generated<T> = ColumnType<T, never, never>
`

function render(all: Column[]): string {
  const tables = Map.groupBy(all, (column) => column.table)
  const interfaces = [...tables].map(([table, columns]) => {
    const lines = columns.map((column) => `  ${column.name}: ${columnType(column)}`)
    return `export interface ${pascal(table)}Table {\n${lines.join('\n')}\n}\n`
  })
  const index = [...tables.keys()].map((table) => `  ${table}: ${pascal(table)}Table`)
  const generated = all.some((column) => column.generated)
  return `// Generated from sql/migrations by \`npm run db:types\`. Never edited.
import type { ColumnType } from 'kysely'

type Timestamp = ColumnType<Date, Date | string>
/** A column with a default: may be left out of an insert. */
type Defaulted<T> = [T] extends [ColumnType<infer S, infer I, infer U>]
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>
${generated ? GENERATED : ''}
${interfaces.join('\n')}
export interface Tables {
${index.join('\n')}
}
`
}

const text = render(await columns())
if (process.argv.includes('--check')) {
  const current = await readFile(TABLES, 'utf8').catch(() => '')
  if (current !== text) {
    console.error('src/postgres/tables.ts does not match sql/migrations: run npm run db:types')
    process.exitCode = 1
  }
} else await writeFile(TABLES, text)
process.exit()
