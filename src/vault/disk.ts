/** The file system as the vault uses it: below one root, never through a symlink, durable when it says so. */
import { closeSync, constants, fstatSync, fsync, lstatSync, open as openFile } from 'node:fs'
import { openSync, readdirSync, readFileSync, writeFileSync, type BigIntStats } from 'node:fs'
import { link, lstat, mkdir, open, readFile, readdir, rename, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pLimit from 'p-limit'
import type { Disk, FileTimes } from '../kernel/files.ts'
import { hold } from '../kernel/held.ts'
import { invalid, unavailable } from '../kernel/refusal.ts'

/** More fsyncs at once on a slow disk would fill the thread pool, which DNS needs too. */
const fsyncs = pLimit(8)

/** A file of knowledge larger than this is not read: it is listed as a problem. 8 MiB. */
const MAX_FILE_BYTES = 8 * 1024 * 1024

/** Distinguishes one state of a file from the next without reading it. */
export interface Stamp {
  size: number
  /** Nanoseconds since 1970, as a decimal: past what a float holds. */
  mtime_ns: string
  inode: string
}

/** Opens the data directory, making it (owner only) when it does not exist. */
export async function openDisk(root: string): Promise<Disk> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const held = hold(root)
  return { root: held.root, held, shared: held.shared }
}

const stampOf = (stats: BigIntStats): Stamp => ({
  size: Number(stats.size),
  mtime_ns: String(stats.mtimeNs),
  inode: String(stats.ino),
})

export const sameStamp = (a: Stamp | undefined, b: Stamp | undefined): boolean =>
  a?.size === b?.size && a?.mtime_ns === b?.mtime_ns && a?.inode === b?.inode

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

/**
 * What is at a path, by itself and not by what a link leads to; undefined when nothing is. On a local disk it is looked
 * at at once: that takes microseconds, and the way to another thread and back takes longer.
 */
async function lookAt(disk: Disk, path: string): Promise<BigIntStats | undefined> {
  const at = join(disk.root, path)
  try {
    return disk.shared
      ? await lstat(at, { bigint: true })
      : lstatSync(at, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** The stamp of a regular file; undefined when nothing is there. Anything else there is refused. */
export async function stampAt(disk: Disk, path: string): Promise<Stamp | undefined> {
  const stats = await lookAt(disk, path)
  if (stats && !stats.isFile()) throw notAFile(path)
  return stats && stampOf(stats)
}

/** Whether a directory is there, and not a link to one. */
export const isDirectory = async (disk: Disk, path: string): Promise<boolean> =>
  (await lookAt(disk, path).catch(() => undefined))?.isDirectory() ?? false

/** A file as it was found. */
interface OnDisk {
  bytes: Buffer
  stamp: Stamp
  times: FileTimes
}

/** Some file systems know no time of making, and say 0. */
export const timesOf = ({ birthtimeMs, mtimeMs }: BigIntStats): FileTimes => {
  const changed = new Date(Number(mtimeMs))
  const isKnown = birthtimeMs > 0n && birthtimeMs < mtimeMs
  return { made: isKnown ? new Date(Number(birthtimeMs)) : changed, changed }
}

/** What is no link, and answers at once where it is no file either. */
const AS_IT_IS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** A file of up to this size, as nearly all are, is read at once on a local disk, as `lookAt` looks. */
const SMALL_BYTES = 64 * 1024

/** The bytes of a regular file, its stamp and its times; undefined when nothing is there. */
export async function readAt(disk: Disk, path: string): Promise<OnDisk | undefined> {
  try {
    await directoriesTo(disk, path)
    if (disk.shared) return await readBeside(disk, path)
    const seen = await lookAt(disk, path)
    if (!seen) return undefined
    return seen.size > SMALL_BYTES ? await readBeside(disk, path) : readAtOnce(disk, path)
  } catch (error) {
    if (isMissing(error)) return undefined
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') throw notAFile(path)
    throw error
  }
}

/** Other calls go on meanwhile, and it takes thirty times as long. */
async function readBeside(disk: Disk, path: string): Promise<OnDisk> {
  const file = await open(join(disk.root, path), AS_IT_IS)
  try {
    const stats = readableFile(path, await file.stat({ bigint: true }))
    return { bytes: await file.readFile(), stamp: stampOf(stats), times: timesOf(stats) }
  } finally {
    await file.close()
  }
}

function readAtOnce(disk: Disk, path: string): OnDisk {
  const file = openSync(join(disk.root, path), AS_IT_IS)
  try {
    const stats = readableFile(path, fstatSync(file, { bigint: true }))
    return { bytes: readFileSync(file), stamp: stampOf(stats), times: timesOf(stats) }
  } finally {
    closeSync(file)
  }
}

/** Refuses anything else, and what is too large to be knowledge. */
function readableFile(path: string, stats: BigIntStats): BigIntStats {
  if (!stats.isFile()) throw notAFile(path)
  if (stats.size > MAX_FILE_BYTES) throw invalid(`the file ${path} is larger than 8 MiB`)
  return stats
}

/**
 * Makes the directories of a path, owner only. A symlink among them is refused. The first of them is a
 * folder of the store: one that was moved away is not made again in its old place, unless `fromTheRoot`.
 */
export async function makeDirectories(
  disk: Disk,
  path: string,
  { fromTheRoot = false }: { fromTheRoot?: boolean } = {},
): Promise<void> {
  if ((await directoriesTo(disk, path)).every(Boolean)) return
  const parts = dirname(path).split('/')
  for (const [depth] of parts.entries()) {
    if (depth === 0 && !fromTheRoot) continue
    const at = parts.slice(0, depth + 1).join('/')
    // Step by step: a data directory that was moved away is not made again in its old place.
    if (!(await makeDirectory(disk, at))) continue
    // A new directory is durable once its parent is synced.
    await syncDirectory(disk, dirname(at))
  }
}

/** True when it was made, false when it was there. */
async function makeDirectory(disk: Disk, path: string): Promise<boolean> {
  try {
    await mkdir(join(disk.root, path), { mode: 0o700 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (!(await lookAt(disk, path))?.isDirectory()) throw notAFile(path)
    return false
  }
}

/** Whether each directory on the way to a path exists. A symlink among them is refused. */
function directoriesTo(disk: Disk, path: string): Promise<boolean[]> {
  const parts = dirname(path).split('/')
  return Promise.all(
    parts.map(async (_, depth) => {
      const at = parts.slice(0, depth + 1).join('/')
      const stats = await lookAt(disk, at)
      if (stats && !stats.isDirectory()) throw notAFile(at)
      return stats !== undefined
    }),
  )
}

const notAFile = (path: string) =>
  unavailable(`${path} in the data directory is a link or not a regular file; replace it`)

/** As much as is written at once, in bytes. */
const LITTLE_BYTES = 64 * 1024

const openElsewhere = promisify(openFile)
const syncElsewhere = promisify(fsync)

/** Waits for the disk in another thread. Opening, writing a little and closing take microseconds on a local disk. */
async function syncOpen(file: number): Promise<void> {
  await fsyncs(() => syncElsewhere(file))
}

/** Writes a new file, owner only, and makes it durable. Fails when it exists. `written`: before the fsync. */
export function writeNew(
  disk: Disk,
  path: string,
  bytes: Buffer,
  written: () => unknown = () => {},
): Promise<Stamp> {
  const at = join(disk.root, path)
  const isQuick = !disk.shared && bytes.length <= LITTLE_BYTES
  return isQuick ? writeQuickly(at, bytes, written) : writeElsewhere(at, bytes, written)
}

async function writeQuickly(at: string, bytes: Buffer, written: () => unknown): Promise<Stamp> {
  // The journal of the file system may let a new name wait.
  const file = await openElsewhere(at, 'wx', 0o600)
  try {
    writeFileSync(file, bytes)
    await written()
    await syncOpen(file)
    return stampOf(fstatSync(file, { bigint: true }))
  } finally {
    closeSync(file)
  }
}

/** The same in another thread throughout. */
async function writeElsewhere(at: string, bytes: Buffer, written: () => unknown): Promise<Stamp> {
  const file = await open(at, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await written()
    await syncOpen(file.fd)
    return stampOf(await file.stat({ bigint: true }))
  } finally {
    await file.close()
  }
}

export async function syncDirectory(disk: Disk, path: string): Promise<void> {
  const at = join(disk.root, path)
  const directory = disk.shared ? await openElsewhere(at, 'r') : openSync(at, 'r')
  try {
    await syncOpen(directory)
  } finally {
    closeSync(directory)
  }
}

/** The same where another program may have moved the directory away. */
export const syncIfThere = (disk: Disk, path: string): Promise<void> =>
  syncDirectory(disk, path).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })

export const moveInto = (disk: Disk, from: string, to: string): Promise<void> =>
  rename(join(disk.root, from), join(disk.root, to))

/** Gives a file a second name, whole and at once; a name that is taken stays as it is. */
export async function linkNew(disk: Disk, from: string, to: string): Promise<void> {
  await link(join(disk.root, from), join(disk.root, to)).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  })
}

/** Removes a file; none there is fine. */
export async function removeAt(disk: Disk, path: string): Promise<void> {
  await unlink(join(disk.root, path)).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}

/** Removes what may or may not be there, whatever happens. */
export const sweepAt = (disk: Disk, path: string): Promise<void> =>
  rm(join(disk.root, path), { force: true }).catch(() => {})

/** Removes the store's own files with this beginning, which a process that was killed has left. */
export async function sweepOwn(disk: Disk, beginning: string): Promise<void> {
  const names = await readdir(disk.root).catch(() => [])
  for (const name of names) if (name.startsWith(beginning)) await sweepAt(disk, name)
}

/** The names in a small folder of the store's own. Read as `lookAt` looks. */
export async function namesAt(disk: Disk, path: string): Promise<string[]> {
  const at = join(disk.root, path)
  return disk.shared ? readdir(at) : readdirSync(at)
}

/** A small text file of the store's own, or undefined. Read as `lookAt` looks. */
export async function readOwn(disk: Disk, path: string): Promise<string | undefined> {
  const at = join(disk.root, path)
  try {
    return disk.shared ? await readFile(at, 'utf8') : readFileSync(at, 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}
