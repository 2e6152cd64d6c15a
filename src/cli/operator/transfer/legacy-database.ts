/** The rows of a store that keeps them in SQLite beside the same markdown files. Only ever read. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { add, type Imported } from './report.ts'
import type { TableRows } from './rows.ts'

type Row = Record<string, unknown>

/** From one row there to one row here. A column that an older store lacks reads as undefined. */
const TABLES: Record<string, (row: Row) => Row> = {
  projects: (row) => ({
    id: row['id'],
    slug: row['slug'],
    name: row['name'] || row['slug'],
    description: row['description'] ?? '',
    isolation: row['isolation'] || 'open',
    parent_slug: row['parent_slug'] || null,
    retired_at: row['retired_at'] || null,
    favorite: Boolean(row['favorite']),
    ...times(row),
  }),
  sessions: (row) => ({
    id: row['id'],
    name: row['name'],
    project: row['project_slug'] ?? '',
    status: row['status'] === 'active' ? 'completed' : row['status'],
    findings: row['findings'] ?? '',
    external_client: row['external_client'] ?? '',
    client_session_id: row['claude_session_id'] ?? row['client_session_id'] ?? '',
    cwd: row['cwd'] ?? '',
    source: row['source'] || 'explicit',
    model: row['model'] ?? '',
    ambient: Boolean(row['ambient']),
    favorite: Boolean(row['favorite']),
    ...times(row),
  }),
  tasks: (row) => ({
    id: row['id'],
    project: row['project_slug'] ?? '',
    title: row['title'],
    body: row['body'] ?? '',
    // Nobody here holds what somebody there had claimed.
    status: row['status'] === 'in_progress' ? 'open' : row['status'],
    created_by: row['created_by'] ?? '',
    plan: row['plan_slug'] ?? '',
    favorite: Boolean(row['favorite']),
    closed_at: row['closed_at'] || null,
    ...times(row),
  }),
  trials: (row) => ({
    id: row['id'],
    project: row['project_slug'] ?? '',
    lab: row['lab'],
    title: row['title'],
    changes: row['changes'] ?? '',
    expected: row['expected'] ?? '',
    actual: row['actual'] ?? '',
    outcome: row['outcome'] ?? '',
    metrics: objectOf(row['metrics']),
    session_id: row['session_id'] ?? '',
    favorite: Boolean(row['favorite']),
    created_at: row['created_at'],
  }),
  task_deps: ({ task_id, depends_on }) => ({ task_id, depends_on }),
}

/** What its database says; nothing when there is none. */
export async function readLegacyDatabase(folder: string, report: Imported): Promise<TableRows> {
  const tables: TableRows = new Map()
  const name = (await readdir(folder)).find(mayBeDatabase)
  if (name === undefined) return tables
  const database = open(join(folder, name))
  if (!database) {
    report.warnings.push(`${name}: no SQLite database, so only the files were brought in`)
    return tables
  }
  try {
    for (const [table, map] of Object.entries(TABLES)) {
      const known = database.prepare('select 1 from sqlite_master where type = ? and name = ?')
      if (!known.get('table', table)) continue
      const rows = database.prepare(`select * from ${table}`).all() as Row[]
      const sound = rows.map(map).filter((row) => Object.values(row).every((v) => v !== undefined))
      tables.set(table, sound)
      if (sound.length < rows.length) {
        report.warnings.push(
          `${name}: ${rows.length - sound.length} rows of ${table} lack a column`,
        )
      }
    }
    mendReferences(tables)
  } finally {
    database.close()
  }
  add(report, 'databases')
  return tables
}

export const mayBeDatabase = (file: string): boolean => /\.(?:db|sqlite3?)$/.test(file)

function open(path: string): DatabaseSync | undefined {
  try {
    const database = new DatabaseSync(path, { readOnly: true })
    database.prepare('select count(*) from sqlite_master').get()
    return database
  } catch {
    return undefined
  }
}

/** Removes references to rows that are missing, and the parents of fenced projects. */
function mendReferences(tables: TableRows): void {
  const slugs = new Set((tables.get('projects') ?? []).map(({ slug }) => slug))
  for (const project of tables.get('projects') ?? []) {
    if (project['isolation'] !== 'open' || !slugs.has(project['parent_slug']))
      project['parent_slug'] = null
  }
  const tasks = new Set((tables.get('tasks') ?? []).map(({ id }) => id))
  const deps = tables.get('task_deps') ?? []
  tables.set(
    'task_deps',
    deps.filter(({ task_id, depends_on }) => tasks.has(task_id) && tasks.has(depends_on)),
  )
}

/** The figures of a trial, kept there as JSON text. What is no object says nothing. */
function objectOf(text: unknown): Row {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Row)
      : {}
  } catch {
    return {}
  }
}

const times = (row: Row): Row => ({ created_at: row['created_at'], updated_at: row['updated_at'] })
