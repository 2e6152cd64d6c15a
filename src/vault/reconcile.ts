/**
 * Rows catch up with files: at start, on a timer and on demand.
 *
 * It only collects suspects, by size, time and inode; each is decided under its path's lock. When
 * many files are gone at once nothing is dropped: that is how a lost mount looks.
 */
import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileKind, VaultKernel } from './vault.ts'
import { sameStamp, stampAt } from './disk.ts'
import { listIntentTemps } from './intent.ts'
import { tempTarget } from './paths.ts'
import { forgetFiles, listRegistered, listRegisteredBelow, type Registered } from './register.ts'
import { sweepIntent, sweepTemp } from './leftovers.ts'
import { notRead, reindexFile } from './reindex.ts'
import { settle } from './settle.ts'

/** Stamps can be wrong, so every file is read once a day; at most this many in one run. */
const OVERDUE_AT_ONCE = 500

/** More files gone at once than this, and more than this share, is no clean-up but a lost disk. */
const MANY = 10
const SHARE = 0.2

/** Whether so many files are gone that the disk is more likely to be. */
export const looksLost = (gone: number, total: number): boolean =>
  gone > MANY && gone > total * SHARE

export interface Reconciled {
  seen: number
  indexed: number
  forgotten: number
  problems: number
  /** Files that could not be judged now: the database was busy, or the disk failed. */
  failed: number
  /** Files that are gone and whose rows were kept, because too many were gone at once. */
  withheld: number
  /** Files that were read although their stamp had not changed, as they were last read a day ago. */
  overdue: number
}

export interface ReconcileOptions {
  /** Makes every derived row again, changed or not. */
  again?: boolean
  /** Only this file kind. */
  fileKind?: FileKind
  /** Is told how many files have been looked at. */
  seen?(count: number): void
  /** False: whoever waits for it wants no more. */
  going?(): boolean
}

export async function reconcile(
  kernel: VaultKernel,
  options: ReconcileOptions = {},
): Promise<Reconciled> {
  await kernel.vault.assertPresent()
  await kernel.vault.folders.look(kernel.db)
  await sweepIntents(kernel)
  await settle(kernel)
  const report: Reconciled = {
    ...{ seen: 0, indexed: 0, forgotten: 0 },
    ...{ problems: 0, failed: 0, withheld: 0, overdue: 0 },
  }
  const missing: { fileKind: FileKind; path: string }[] = []
  for (const fileKind of options.fileKind ? [options.fileKind] : kernel.vault.fileKinds) {
    const directories = await directoriesOf(kernel, fileKind)
    for (const directory of directories) {
      for (const path of await walk(kernel, fileKind, directory, options, report)) {
        missing.push({ fileKind, path })
      }
    }
    for (const path of await orphans(kernel, fileKind, directories))
      missing.push({ fileKind, path })
  }
  await drop(kernel, missing, report)
  return report
}

async function sweepIntents(kernel: VaultKernel): Promise<void> {
  for (const temp of await listIntentTemps(kernel.vault.disk)) {
    await unlessBusy(kernel, temp.path, () => sweepIntent(kernel, temp))
  }
}

/** A file that another process is writing, or that the disk refuses, is left for the next run. */
async function unlessBusy(
  kernel: VaultKernel,
  path: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    await kernel.vault.assertPresent()
    kernel.log.warn({ err: error, path }, 'what a crash left could not be tidied up')
  }
}

async function directoriesOf({ vault }: VaultKernel, fileKind: FileKind): Promise<string[]> {
  if (!fileKind.byProject) return [fileKind.root]
  const entries = await listDirectory(join(vault.disk.root, fileKind.root))
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map((entry) => `${fileKind.root}/${entry.name}`)
    .sort()
}

const listDirectory = (path: string) =>
  readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  })

/** Reindexes the suspects of one directory; returns the registered paths that have no file. */
async function walk(
  kernel: VaultKernel,
  fileKind: FileKind,
  directory: string,
  { again = false, seen, going = () => true }: ReconcileOptions,
  report: Reconciled,
): Promise<string[]> {
  const known = new Map((await listRegistered(kernel.db, directory)).map((row) => [row.path, row]))
  const entries = await entriesOf(kernel, fileKind, directory, report)
  for (const entry of entries ?? []) {
    if (!going()) return []
    if (tempTarget(entry.name) !== null) {
      await unlessBusy(kernel, `${directory}/${entry.name}`, () =>
        sweepTemp(kernel, directory, entry.name),
      )
    }
    if (entry.name.startsWith('.') || !entry.name.endsWith(fileKind.extension)) continue
    const path = `${directory}/${entry.name}`
    const row = known.get(path)
    known.delete(path)
    report.seen++
    seen?.(report.seen)
    if (!again && (await unsuspicious(kernel, path, row, report))) continue
    await reindexInto(kernel, fileKind, path, again, report)
  }
  if (entries) return [...known.keys()]
  // Each says itself whether it may be read; none of them is gone.
  for (const path of known.keys()) await reindexInto(kernel, fileKind, path, false, report)
  return []
}

/** What lies in a directory; undefined when it may not be read, which keeps no other from being looked at. */
async function entriesOf(
  kernel: VaultKernel,
  fileKind: FileKind,
  directory: string,
  report: Reconciled,
): Promise<Dirent[] | undefined> {
  try {
    return await listDirectory(join(kernel.vault.disk.root, directory))
  } catch (error) {
    const problem = notRead(error)
    // Without the root of a kind, nothing is known of it.
    if (directory === fileKind.root || problem === undefined) throw error
    report.failed++
    kernel.log.error({ path: directory, problem }, 'a folder of knowledge files cannot be read')
    return undefined
  }
}

async function unsuspicious(
  { vault }: VaultKernel,
  path: string,
  row: Registered | undefined,
  report: Reconciled,
): Promise<boolean> {
  if (!row || row.problem !== null) return false
  if (row.overdue && report.overdue < OVERDUE_AT_ONCE) {
    report.overdue++
    return false
  }
  // A link or a directory is looked at, so that it is listed as a problem.
  const stamp = await stampAt(vault.disk, path).catch(() => undefined)
  return sameStamp(stamp, row)
}

/** One file that cannot be reindexed now (the database is busy, a disk error) never stops the rest. */
async function reindexInto(
  kernel: VaultKernel,
  fileKind: FileKind,
  path: string,
  again: boolean,
  report: Reconciled,
): Promise<void> {
  try {
    const outcome = await reindexFile(kernel, fileKind, path, { again })
    if (outcome === 'indexed') report.indexed++
    if (outcome === 'forgotten') report.forgotten++
    if (outcome === 'problem') report.problems++
  } catch (error) {
    await kernel.vault.assertPresent()
    report.failed++
    kernel.log.error({ err: error, path }, 'a knowledge file could not be reconciled')
  }
}

/** Registered files whose whole directory is gone. What is hidden is no knowledge, and is not missed. */
async function orphans({ db }: VaultKernel, { root }: FileKind, walked: readonly string[]) {
  const hidden = (path: string) => path.includes('/.')
  const paths = await listRegisteredBelow(db, root)
  if (paths.some(hidden)) await forgetFiles(db, paths.filter(hidden))
  const directories = new Set(walked)
  return paths.filter(
    (path) => !hidden(path) && !directories.has(path.slice(0, path.lastIndexOf('/'))),
  )
}

async function drop(
  kernel: VaultKernel,
  suspects: readonly { fileKind: FileKind; path: string }[],
  report: Reconciled,
): Promise<void> {
  if (suspects.length === 0) return
  // A file that was only renamed has been found under its new name meanwhile.
  const known = new Set<string>()
  for (const { root } of kernel.vault.fileKinds) {
    for (const path of await listRegisteredBelow(kernel.db, root)) known.add(path)
  }
  const gone = suspects.filter(({ path }) => known.has(path))
  const vanished = new Set(kernel.vault.folders.missing)
  const missing = gone.filter(({ fileKind }) => !vanished.has(fileKind.root))
  report.withheld = gone.length - missing.length
  const total = report.seen + missing.length
  if (looksLost(missing.length, total)) {
    report.withheld = gone.length
    kernel.log.error(
      { missing: missing.length, of: total },
      'many knowledge files are gone at once: nothing is dropped; put them back, or run "loam reindex --forget-missing"',
    )
    return
  }
  for (const { fileKind, path } of missing) await reindexInto(kernel, fileKind, path, false, report)
}

/** Forgets every item of a kind whose file is gone, however many they are. An operator has said so. */
export async function forgetMissingFiles(kernel: VaultKernel, kind: string): Promise<number> {
  const { vault, db } = kernel
  await vault.assertPresent()
  let forgotten = 0
  for (const fileKind of vault.fileKinds.filter((each) => each.kind === kind)) {
    for (const path of await listRegisteredBelow(db, fileKind.root)) {
      if ((await stampAt(vault.disk, path).catch(() => null)) !== undefined) continue
      const outcome = await reindexFile(kernel, fileKind, path, { forgets: true })
      if (outcome === 'forgotten') forgotten++
    }
  }
  await vault.folders.look(db)
  return forgotten
}
