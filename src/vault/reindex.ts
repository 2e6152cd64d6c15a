/** Brings the rows of one path in line with its file, under the path's lock. */
import type { FileBytes } from '../kernel/files.ts'
import type { Kernel, Vault } from '../kernel/kernel.ts'
import { Refusal } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { Unreadable } from '../kernel/unreadable.ts'
import type { FileKind } from './vault.ts'
import { readAt, type Stamp } from './disk.ts'
import { contentHash, lockKey } from './paths.ts'
import { findRegistered, forgetFile, registerFile } from './register.ts'
import { lockKeys, lockPaths } from './locks.ts'

export type Outcome = 'unchanged' | 'indexed' | 'forgotten' | 'problem'

export interface Reindexing {
  /** Makes every derived row again, changed or not. */
  again?: boolean
  /** The file was written by Loam, whose act it was. */
  ours?: boolean
  /** Forgets a file that is gone even when its whole folder is. */
  forgets?: boolean
}

/** Another file has the same id: both paths must be locked before one is chosen. */
class SecondFile extends Error {
  override readonly name = 'SecondFile'
  readonly path: string
  constructor(path: string) {
    super(path)
    this.path = path
  }
}

/**
 * Reads file and row again inside the lock: a path that a managed write has dealt with meanwhile is
 * unchanged. Never writes a knowledge file.
 */
export async function reindexFile(
  kernel: Kernel,
  fileKind: FileKind,
  path: string,
  how: Reindexing = {},
): Promise<Outcome> {
  const paths = [path]
  for (;;) {
    try {
      return await inTransaction(kernel, async (kernel) => {
        await lockPaths(kernel.db, paths)
        return reindexLocked(kernel, fileKind, path, paths, how)
      })
    } catch (error) {
      if (!(error instanceof SecondFile) || paths.length > 1) throw error
      paths.push(error.path)
    }
  }
}

async function reindexLocked(
  kernel: Kernel,
  fileKind: FileKind,
  path: string,
  locked: readonly string[],
  { again = false, ours = false, forgets = false }: Reindexing,
): Promise<Outcome> {
  const known = await findRegistered(kernel.db, path)
  const read = await readForIndex(kernel.vault, path)
  if (read === undefined) {
    if (!known) return 'unchanged'
    if (!forgets) await kernel.vault.assertFolder(kernel.db, path)
    await fileKind.forget(kernel, path)
    await forgetFile(kernel.db, path)
    kernel.log.info({ path }, 'a knowledge file was removed outside of Loam')
    return 'forgotten'
  }
  if ('problem' in read) return list(kernel, path, read.stamp, read.problem)

  const { file, stamp } = read
  const same = known?.content_hash === file.hash && known.problem === null
  if (same && !again) {
    await registerFile(kernel.db, { path, hash: file.hash, stamp })
    return 'unchanged'
  }
  try {
    await refuseSecondFile(kernel, fileKind, file, locked)
    await fileKind.index(kernel, file, { external: known !== undefined && !same && !ours })
    await registerFile(kernel.db, { path, hash: file.hash, stamp })
    return 'indexed'
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return list(kernel, path, stamp, error.message, file.hash)
  }
}

/** The file is listed and stays as it is; rows that an earlier state of it left are kept. */
async function list(
  { db, log }: Kernel,
  path: string,
  stamp: Stamp,
  problem: string,
  hash = '',
): Promise<Outcome> {
  await registerFile(db, { path, hash, stamp, problem })
  log.warn({ path, problem }, 'a knowledge file cannot be understood')
  return 'problem'
}

type ForIndex = { file: FileBytes; stamp: Stamp } | { problem: string; stamp: Stamp } | undefined

async function readForIndex({ disk, assertPresent }: Vault, path: string): Promise<ForIndex> {
  try {
    const read = await readAt(disk, path)
    if (!read) {
      await assertPresent()
      return undefined
    }
    return {
      file: { path, bytes: read.bytes, hash: contentHash(read.bytes), times: read.times },
      stamp: read.stamp,
    }
  } catch (error) {
    const problem = problemOf(error)
    if (problem === undefined) throw error
    return { problem, stamp: { size: 0, mtime_ns: '0', inode: '0' } }
  }
}

const NOT_READ: Record<string, string> = {
  EACCES: 'it may not be read by the user that the service runs as',
  EPERM: 'it may not be read by the user that the service runs as',
  ENXIO: 'it is a socket or a device; replace it',
  EIO: 'the disk cannot read it',
}

/** A link, a directory, a device, a giant: nothing of ours, but the owner should know. */
function problemOf(error: unknown): string | undefined {
  if (error instanceof Refusal) {
    return error.message.startsWith('storage') ? undefined : error.message
  }
  return notRead(error)
}

/** Why the system does not let something be read, or undefined when that is not what an error says. */
export const notRead = (error: unknown): string | undefined =>
  NOT_READ[(error as NodeJS.ErrnoException).code ?? '']

/**
 * Of two files with one id the later `updated` wins; the other one is listed.
 * A file that was merely renamed leaves nothing at its old path and takes the id along.
 */
async function refuseSecondFile(
  kernel: Kernel,
  fileKind: FileKind,
  file: FileBytes,
  locked: readonly string[],
): Promise<void> {
  const { id, updated } = fileKind.identify(file)
  // Behind the paths, as always: two new files with one id would not see each other otherwise.
  await lockKeys(kernel.db, [lockKey(`id of a ${fileKind.kind} ${id}`)])
  const other = await fileKind.pathOf(kernel.db, id)
  if (other === undefined || other === file.path) return
  if (!locked.includes(other)) throw new SecondFile(other)
  const read = await readForIndex(kernel.vault, other)
  const rival = read && 'file' in read ? claim(fileKind, read.file) : undefined
  if (rival?.id === id && rival.updated >= updated) {
    throw new Unreadable(`it has the same id as ${other}, which is the later one`)
  }
  if (rival?.id === id && read && 'file' in read) {
    const problem = `it has the same id as ${file.path}, which is the later one`
    await registerFile(kernel.db, { path: other, hash: read.file.hash, stamp: read.stamp, problem })
  } else await forgetFile(kernel.db, other)
}

function claim(fileKind: FileKind, file: FileBytes): { id: string; updated: Date } | undefined {
  try {
    return fileKind.identify(file)
  } catch {
    return undefined
  }
}
