/** Brings knowledge in from elsewhere. What is here already is left as it is, so it can be run again. */
import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { App } from '../../../app.ts'
import { keepInUse } from '../../../features/features.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { invalid, Refusal } from '../../../kernel/refusal.ts'
import { contentHash } from '../../../vault/paths.ts'
import { Unreadable, type FileKind } from '../../../vault/vault.ts'
import { queueUnindexed } from '../../../passages/passages.ts'
import { recount } from '../../../tasks/tasks.ts'
import { knowledgeFiles } from './export.ts'
import { importDrafts } from './drafts.ts'
import { guardItem, guardProject, guardRows } from './guard.ts'
import { readClaudeMemories } from './claude-memories.ts'
import { readGraph } from './graph.ts'
import { readLegacyDatabase } from './legacy-database.ts'
import { add, emptyReport, type Imported } from './report.ts'
import { importRows, rowsOf } from './rows.ts'

export interface ImportOptions {
  /** A folder or a file, as a whole path. */
  from: string
  /** Where memories go that name no project; 'global' for everywhere. */
  project?: string
  /** Folders of projects that are left out. */
  skip?: string[]
}

/** A store's own folder, or one of its family; Claude Code's memory files; a knowledge graph as JSONL. */
export async function importFrom(house: App, options: ImportOptions): Promise<Imported> {
  const { from } = options
  if (!isAbsolute(from)) throw invalid('import: --from must be a whole path')
  const found = await stat(from).catch(() => undefined)
  if (!found) throw invalid(`import: there is nothing at ${from}`)
  const report = emptyReport()
  await house.database.unhurried(async () => {
    if (found.isDirectory() && (await holdsStore(from))) await importStore(house, options, report)
    else if (from.endsWith('.jsonl') || from.endsWith('.json'))
      await importDrafts(house.kernel, await readGraph(from), options.project, report)
    else await importDrafts(house.kernel, await readClaudeMemories(from), options.project, report)
  })
  return report
}

async function holdsStore(folder: string): Promise<boolean> {
  const parts = ['memory', 'notes', 'rows'].map((name) => stat(join(folder, name)))
  const found = await Promise.allSettled(parts)
  return found.some((part) => part.status === 'fulfilled' && part.value.isDirectory())
}

/** Rows come first: an item's file then finds its project as it was, with its stars and its parent. */
async function importStore(house: App, options: ImportOptions, report: Imported): Promise<void> {
  const { kernel } = house
  const tables = (await rowsOf(options.from)) ?? (await readLegacyDatabase(options.from, report))
  await importRows(kernel, guardRows(kernel, tables, report), report)
  // An older store does not know what its tasks wait for in numbers.
  await recount(kernel)
  if (report.imported['trials']) await keepInUse(kernel.db, 'research')
  for (const fileKind of kernel.vault.fileKinds) {
    for await (const path of knowledgeFiles(options.from, fileKind.root, fileKind.extension)) {
      const [, project = ''] = path.split('/')
      if (options.skip?.includes(project)) continue
      await importFile(kernel, fileKind, options.from, path, report)
    }
  }
  await queueUnindexed(kernel.db)
}

/** The bytes as they are, through the door that every write goes through. */
async function importFile(
  kernel: Kernel,
  fileKind: FileKind,
  folder: string,
  path: string,
  report: Imported,
): Promise<void> {
  const found = await readFile(join(folder, path))
  try {
    const bytes = fileKind.byProject ? found : guardProject(kernel, path, found, report)
    const file = { path, bytes, hash: contentHash(bytes) }
    const { id } = fileKind.identify(file)
    if ((await fileKind.pathOf(kernel.db, id)) !== undefined) {
      report.skipped++
      return
    }
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
    if (!(error instanceof Unreadable) && !(error instanceof Refusal)) throw error
    report.warnings.push(`${path}: ${error.message}`)
  }
}
