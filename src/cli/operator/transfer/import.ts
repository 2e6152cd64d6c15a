/** Brings knowledge in from elsewhere. What is here already is left as it is, so it can be run again. */
import { readdir, stat } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import type { App } from '../../../app.ts'
import { keepInUse } from '../../../features/features.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { invalid, Refusal, unavailable } from '../../../kernel/refusal.ts'
import { contentHash } from '../../../vault/paths.ts'
import { Unreadable, type FileKind } from '../../../vault/vault.ts'
import { queueUnindexed } from '../../../passages/passages.ts'
import { ensureProject } from '../../../projects/projects.ts'
import { recountSessions } from '../../../sessions/sessions.ts'
import { recount } from '../../../tasks/tasks.ts'
import { rebuildShown } from '../../../usage/usage.ts'
import { INCOMPLETE, knowledgeFiles } from './export.ts'
import { importDrafts } from './drafts.ts'
import { guardItem, guardProject, guardRows } from './guard.ts'
import { readClaudeMemories, textsIn } from './claude-memories.ts'
import { readGraph } from './graph.ts'
import { itemsOf, projectOf, readFrom, withoutProjects } from './left-out.ts'
import { mayBeDatabase, readLegacyDatabase } from './legacy-database.ts'
import { add, emptyReport, leftWords, type Imported } from './report.ts'
import { importRows, rowsOf, type TableRows } from './rows.ts'

export interface ImportOptions {
  /** A folder or a file, as a whole path. */
  from: string
  /** Where memories go that name no project; 'global' for everywhere. */
  project?: string
  /** Folders of projects that are left out. */
  skip?: string[]
  /** Takes what can be taken of a graph, and leaves the rest; else nothing is taken of one that has such lines. */
  lenient?: boolean
}

const STORE_FILES = [
  ['rows', '.jsonl'],
  ['memory', '.md'],
  ['notes', '.md'],
] as const

/** A store's own folder, or one of its family; Claude Code's memory files; a knowledge graph as JSONL. */
export async function importFrom(house: App, options: ImportOptions): Promise<Imported> {
  const { from } = options
  if (!isAbsolute(from)) throw invalid('import: --from must be a whole path')
  const found = await stat(from).catch(() => undefined)
  if (!found) throw invalid(`import: there is nothing at ${from}`)
  if (found.isDirectory() && (await readdir(from)).includes(INCOMPLETE)) {
    throw invalid(
      `import: the export at ${from} was broken off, and lacks files or rows; export again into a new ` +
        `folder, or remove ${INCOMPLETE} from this one to import what it holds`,
    )
  }
  const report = emptyReport()
  await house.database.unhurried(async () => {
    if (found.isDirectory() && (await holdsStore(from))) await importStore(house, options, report)
    else await importTexts(house.kernel, options, report)
  })
  return report
}

/** Whether the folder has what only a store has: a file of a project, rows, or a database. */
async function holdsStore(folder: string): Promise<boolean> {
  for (const [root, extension] of STORE_FILES) {
    for await (const path of knowledgeFiles(folder, root, extension)) {
      if (root === 'rows' || path.split('/').length > 2) return true
    }
  }
  return (await readdir(folder)).some((name) => name === '.loam-store' || mayBeDatabase(name))
}

/** Memories of another make: a graph, or texts, those in a folder `memory` as well. */
async function importTexts(
  kernel: Kernel,
  { from, project, lenient = false }: ImportOptions,
  report: Imported,
): Promise<void> {
  if (/\.jsonl?$/.test(from)) {
    const { drafts, left } = await readGraph(from)
    if (left.length > 0 && !lenient) {
      const words = left.map(leftWords).join('; ')
      throw invalid(
        `import: nothing was imported, because ${from} holds ${words}; --lenient leaves them`,
      )
    }
    report.left.push(...left)
    return importDrafts(kernel, drafts, project, report)
  }
  const isFolder = (await stat(from)).isDirectory()
  const folders = isFolder ? [from, join(from, 'memory')] : [from]
  const full = []
  for (const each of folders) if (!isFolder || (await hasTexts(each))) full.push(each)
  if (full.length === 0) {
    throw invalid(
      `import: ${from} holds no store, no markdown files and no knowledge graph; nothing was imported`,
    )
  }
  for (const each of full) {
    const { drafts, warnings } = await readClaudeMemories(each)
    report.warnings.push(...warnings)
    await importDrafts(kernel, drafts, project, report)
  }
}

const hasTexts = async (folder: string): Promise<boolean> =>
  (await textsIn(folder).catch(() => [])).length > 0

/** Rows come first: an item's file then finds its project as it was, with its stars and its parent. */
async function importStore(house: App, options: ImportOptions, report: Imported): Promise<void> {
  const { kernel } = house
  const { from, skip = [] } = options
  const { fileKinds } = kernel.vault
  const tables = (await rowsOf(from)) ?? (await readLegacyDatabase(from, report))
  const wanted = withoutProjects(tables, skip, await itemsOf(fileKinds, from, skip))
  await importRows(kernel, guardRows(kernel, wanted, report), report)
  // An older store does not know what its tasks wait for in numbers.
  await recount(kernel)
  await recountSessions(kernel)
  if (report.imported['trials']) await keepInUse(kernel.db, 'research')
  for (const fileKind of fileKinds) {
    for await (const path of knowledgeFiles(from, fileKind.root, fileKind.extension)) {
      if (skip.includes(projectOf(fileKind, path))) continue
      await importFile(kernel, fileKind, from, path, report)
    }
  }
  await registerNamed(kernel, wanted, report)
  await rebuildShown(kernel)
  await queueUnindexed(kernel.db)
}

/** Tables whose rows are found by a search. */
const SEARCHED = ['sessions', 'tasks', 'trials']

/** Some stores never registered a project that these rows name. What is of none is found by nobody. */
async function registerNamed(kernel: Kernel, tables: TableRows, report: Imported): Promise<void> {
  const rows = SEARCHED.flatMap((table) => tables.get(table) ?? [])
  for (const slug of new Set(rows.map(({ project }) => String(project ?? '')))) {
    await ensureProject(kernel, slug).catch(tolerate(slug, report))
  }
}

/** What cannot come in is told, and the rest comes in. */
const tolerate =
  (called: string, report: Imported) =>
  (error: unknown): void => {
    if (!(error instanceof Unreadable) && !(error instanceof Refusal)) throw error
    report.warnings.push(`${called}: ${error.message}`)
  }

/** The bytes as they are, but for times that only the file has, through the door that every write goes through. */
async function importFile(
  kernel: Kernel,
  fileKind: FileKind,
  folder: string,
  path: string,
  report: Imported,
): Promise<void> {
  try {
    // A look at all files would not see it again, and with the database it would be lost.
    if (path.split('/').length !== (fileKind.byProject ? 3 : 2)) {
      const at = `${fileKind.root}/${fileKind.byProject ? '<project>/' : ''}${basename(path)}`
      throw new Unreadable(`it lies where no ${fileKind.kind} is looked for; its place is ${at}`)
    }
    const read = await readFrom(folder, path).catch((error: NodeJS.ErrnoException) => {
      throw unavailable(`cannot be read (${error.code ?? 'unknown'})`, error)
    })
    const found = fileKind.byProject
      ? read
      : { ...read, bytes: guardProject(kernel, path, read.bytes, report) }
    const { id } = fileKind.identify(found)
    if ((await fileKind.pathOf(kernel.db, id)) !== undefined) {
      report.skipped++
      return
    }
    const bytes = fileKind.dated?.(found) ?? found.bytes
    const file = { path, bytes, hash: contentHash(bytes) }
    if (fileKind.byProject) guardItem(kernel, path, [bytes.toString('utf8')], report)
    const { result: there } = await kernel.vault.write(kernel, [path], async (_, files) => {
      const there = await files.read(path)
      if (there) return { result: there, rows: async () => {} }
      files.put(path, bytes)
      return { result: there, rows: (kernel) => fileKind.index(kernel, file, { external: false }) }
    })
    if (!there) add(report, fileKind.root)
    else if (there.hash === file.hash) report.skipped++
    else report.warnings.push(`${path}: another item stands there; it was left as it is`)
  } catch (error) {
    tolerate(path, report)(error)
  }
}
