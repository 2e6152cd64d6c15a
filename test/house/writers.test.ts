import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Who writes each table. Reading is free; a second writer is a second truth. */
const WRITERS: Record<string, string> = {
  clock: 'nobody: only tests move it',
  event_items: 'src/kernel/batching-telemetry.ts',
  events: 'src/kernel',
  files: 'src/kernel/vault',
  leases: 'src/kernel',
  lexeme_stats: 'src/passages',
  mcp_sessions: 'src/mcp',
  moments: 'src/kernel',
  notes: 'src/notes',
  projects: 'src/projects',
  schema_migrations: 'src/kernel',
  sessions: 'src/kernel/batching-telemetry.ts',
  settings: 'src/kernel',
  store: 'src/kernel/vault',
}

const WRITES = [
  /\b(?:insertInto|updateTable|deleteFrom)\('([a-z_]+)'\)/g,
  /\b(?:insert into|update|delete from)\s+([a-z_]+)\b/g,
]

/** The command line copies whole databases, and the heartbeat of connections goes with the batch. */
const EXEMPT = /^src\/(cli|dev)\//

test('a table has one writer', () => {
  const written = new Map<string, Set<string>>()
  const files = globSync(['src/**/*.ts', 'sql/*/*.sql']).filter(
    (path) => !EXEMPT.test(path) && !path.startsWith('sql/migrations/'),
  )
  for (const path of files) {
    const text = readFileSync(path, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\s*(?:\/\/|--).*$/gm, '')
    for (const pattern of WRITES) {
      for (const [, table] of text.matchAll(pattern)) {
        const area = path.split('/').slice(0, 2).join('/').replace('sql/', 'src/')
        written.set(table!, (written.get(table!) ?? new Set()).add(area))
      }
    }
  }
  for (const [table, areas] of written) {
    if (!(table in WRITERS) && !TABLES.has(table)) continue
    const allowed = table === 'mcp_sessions' || table === 'sessions' ? 2 : 1
    expect({ table, writers: [...areas].length <= allowed }, [...areas].join(', ')).toEqual({
      table,
      writers: true,
    })
  }
})

/** The tables of the schema, from the generated types. */
const TABLES = new Set(
  [...readFileSync('src/kernel/tables.ts', 'utf8').matchAll(/^ {2}([a-z_]+): \w+Table$/gm)].map(
    ([, table]) => table!,
  ),
)
