/** What an import leaves behind with the projects that its caller does not want. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { contentHash } from '../../../vault/paths.ts'
import { timesOf, Unreadable, type FileBytes, type FileKind } from '../../../vault/vault.ts'
import { knowledgeFiles } from './export.ts'
import type { TableRows } from './rows.ts'
import { ROWS } from './tables.ts'

type Row = Record<string, unknown>

/** Columns that name what a row hangs on: without that it is left out too. */
const HANGS_ON = ['id', 'item_id', 'item', 'task_id', 'depends_on', 'event_id', 'proposal_id']
const OF_SESSION = ['session_id', 'session']
/** Rows that outlive the session of another project in which they came about, by what stands in its place. */
const OUTLIVES: Record<string, unknown> = { events: null, trials: '' }

/** The project that a file is of, or in whose folder it lies. */
export function projectOf({ byProject, extension }: FileKind, path: string): string {
  const [, name = ''] = path.split('/')
  return byProject ? name : name.slice(0, -extension.length)
}

/** A file of a folder, with the times that it has there. */
export async function readFrom(folder: string, path: string): Promise<FileBytes> {
  const at = join(folder, path)
  const [bytes, stats] = [await readFile(at), await stat(at, { bigint: true })]
  return { path, bytes, hash: contentHash(bytes), times: timesOf(stats) }
}

/** The ids of the items whose files lie in the folders of these projects. */
export async function itemsOf(
  fileKinds: readonly FileKind[],
  folder: string,
  projects: readonly string[],
): Promise<Set<string>> {
  const ids = new Set<string>()
  if (projects.length === 0) return ids
  for (const fileKind of fileKinds) {
    for await (const path of knowledgeFiles(folder, fileKind.root, fileKind.extension)) {
      if (!projects.includes(projectOf(fileKind, path))) continue
      const file = await readFrom(folder, path)
      try {
        ids.add(fileKind.identify(file).id)
      } catch (error) {
        // What cannot be read has no rows that could be told to be its own.
        if (!(error instanceof Unreadable)) throw error
      }
    }
  }
  return ids
}

/** The rows without those of the projects, of their items, and of what hangs on either. */
export function withoutProjects(
  tables: TableRows,
  projects: readonly string[],
  items: ReadonlySet<string>,
): TableRows {
  if (projects.length === 0) return tables
  const gone = new Set<unknown>(items)
  const left: TableRows = new Map()
  // A table comes before those that refer to it.
  for (const table of ROWS) {
    const rows = tables.get(table)
    if (!rows) continue
    const columns = table in OUTLIVES ? HANGS_ON : [...HANGS_ON, ...OF_SESSION]
    const kept = rows.filter((row) => {
      const isOut = isOfProject(table, row, projects) || columns.some((key) => gone.has(row[key]))
      if (isOut && row['id'] !== undefined) gone.add(row['id'])
      return !isOut
    })
    left.set(
      table,
      kept.map((row) => unbound(table, row, projects, gone)),
    )
  }
  return left
}

function isOfProject(table: string, row: Row, projects: readonly string[]): boolean {
  const named = table === 'projects' ? [row['slug']] : [row['project'], row['projects']].flat()
  return named.some((project) => projects.includes(project as string))
}

/** The row without what it says of those that are left out. */
function unbound(
  table: string,
  row: Row,
  projects: readonly string[],
  gone: ReadonlySet<unknown>,
): Row {
  return {
    ...row,
    ...(projects.includes(row['parent_slug'] as string) && { parent_slug: null }),
    ...(gone.has(row['session_id']) && { session_id: OUTLIVES[table] }),
    ...(gone.has(row['claimed_task']) && { claimed_task: '' }),
  }
}
