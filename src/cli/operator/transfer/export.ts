import { copyFile, mkdir, open, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { sql } from 'kysely'
import type { App } from '../../../app.ts'
import { invalid, unavailable } from '../../../kernel/refusal.ts'
import type { Db } from '../../../kernel/kernel.ts'
import type { VaultKernel } from '../../../vault/vault.ts'
import { keptTables, type Kept } from './tables.ts'

export interface Exported {
  files: number
  rows: number
}

/** Lies in the folder until all is there: a kill leaves what looks like a whole store else. */
export const INCOMPLETE = 'INCOMPLETE'
const INCOMPLETE_TEXT =
  'This export has not ended. Where it was broken off, export again into a new folder.\n'

/** Rows that are in memory at once. */
const BATCH = 1_000

/**
 * Writes the whole store into an empty folder: the knowledge files as they are, and what only rows
 * say, a line of JSON each. Two exports of one state are the same bytes: there is no time in it.
 */
export async function exportStore({ kernel, database }: App, to: string): Promise<Exported> {
  if (!isAbsolute(to)) throw invalid('export: --to must be the whole path of a folder')
  await mkdir(to, { recursive: true, mode: 0o700 }).catch(cannot(`${to} cannot be made`))
  if ((await readdir(to).catch(cannot(`${to} cannot be read`))).length > 0)
    throw invalid(`export: ${to} is not empty; name a new folder`)
  const mark = join(to, INCOMPLETE)
  await writeFile(mark, INCOMPLETE_TEXT, { mode: 0o600 }).catch(cannot(`${mark} cannot be written`))
  await kernel.telemetry.flush()
  // Rows before files: what is written meanwhile then has its file at least, which is its truth.
  const rows = await database.unhurried(() =>
    kernel.db.transaction().execute(async (db) => {
      await sql`set transaction isolation level repeatable read, read only`.execute(db)
      await sql`select set_config('TimeZone', 'UTC', true)`.execute(db)
      let count = 0
      for (const table of await keptTables(db))
        count += await writeTable(db, table, join(to, 'rows'))
      return count
    }),
  )
  const files = await copyFiles(kernel, to)
  await rm(mark).catch(cannot(`${mark} cannot be removed`))
  return { files, rows }
}

/** A file may be moved into a folder that was read already: as often it is looked for what is new. */
const MOST_LOOKS = 5

/** Copies the knowledge files while others write. What was moved meanwhile may stand in both places. */
async function copyFiles({ vault: { disk, fileKinds } }: VaultKernel, to: string): Promise<number> {
  const copied = new Set<string>()
  for (let looks = 0, before = -1; looks < MOST_LOOKS && copied.size > before; looks++) {
    before = copied.size
    for (const { root, extension } of fileKinds) {
      for await (const path of knowledgeFiles(disk.root, root, extension)) {
        if (!copied.has(path) && (await copyIfThere(disk.root, path, to))) copied.add(path)
      }
    }
  }
  return copied.size
}

/** False: it was deleted or moved since its folder was read. */
async function copyIfThere(from: string, path: string, to: string): Promise<boolean> {
  await mkdir(dirname(join(to, path)), { recursive: true, mode: 0o700 }).catch(
    cannot(`${path} cannot be copied to ${to}`),
  )
  return copyDated(join(from, path), join(to, path)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      return cannot(`${path} cannot be copied to ${to}`)(error)
    },
  )
}

/** With its times: of what was made by hand they may be all that says when. Some disks set none. */
async function copyDated(from: string, to: string): Promise<void> {
  const { atime, mtime } = await stat(from)
  await copyFile(from, to)
  await utimes(to, atime, mtime).catch(() => {})
}

/** Half an export is none, so that what keeps a file from it is said. */
const cannot =
  (what: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw unavailable(`${what} (${error.code ?? 'unknown'}); the export is not complete`, error)
  }

async function writeTable(db: Db, { name, key, columns }: Kept, folder: string): Promise<number> {
  const path = join(folder, `${name}.jsonl`)
  const refuse = cannot(`${path} cannot be written`)
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(refuse)
  await using file = await open(path, 'wx', 0o600).catch(refuse)
  const fields = columns.map((column) => sql`${sql.lit(column)}, ${sql.ref(column)}`)
  await sql`
    declare kept no scroll cursor for
    select jsonb_build_object(${sql.join(fields)})::text as line from ${sql.table(name)}
    order by ${sql.join(key.map((column) => sql`${sql.ref(column)}::text collate "C"`))}`.execute(
    db,
  )
  let count = 0
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.raw(String(BATCH))} from kept`.execute(
      db,
    )
    if (rows.length === 0) break
    // Whole: one write may take a part alone, on a disk that is about to be full.
    await file.writeFile(rows.map(({ line }) => `${line}\n`).join('')).catch(refuse)
    count += rows.length
  }
  await sql`close kept`.execute(db)
  return count
}

/** A folder that may be moved or not be there. Any other that cannot be read is missed, so it is said. */
const namesIn = (folder: string, root: string) =>
  readdir(join(folder, root), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
    throw unavailable(`${join(folder, root)} cannot be read (${error.code ?? 'unknown'})`, error)
  })

/** Paths below the folder, sorted: nothing hidden, no links, only files of the kind. */
export async function* knowledgeFiles(
  folder: string,
  root: string,
  extension: string,
): AsyncGenerator<string> {
  const entries = await namesIn(folder, root)
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const path = `${root}/${entry.name}`
    if (entry.isDirectory()) yield* knowledgeFiles(folder, path, extension)
    else if (entry.isFile() && entry.name.endsWith(extension)) yield path
  }
}
