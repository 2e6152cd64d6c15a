/**
 * The vault: knowledge as files on disk, which are the truth, and the rows that follow from them.
 *
 * This file holds its types and opens it; vault/ holds how a write is made durable (write.ts), how
 * a change of several files survives a crash between them (intent.ts), and how rows catch up with
 * files that were changed by hand (reconcile.ts, watch.ts).
 */
import type { PendingEvent } from '../kernel/events.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { Refusal, unavailable } from '../kernel/refusal.ts'
import { openDisk, readAt, type Disk } from './disk.ts'
import { contentHash } from './paths.ts'
import { proveWritable, StorageHealth } from './health.ts'
import { adoptStore, directoryId } from './store-id.ts'
import { vaultWriter } from './write.ts'

/** A knowledge file as it was read. */
export interface FileBytes {
  /** Below the data directory, forward slashes: `notes/atlas/queue-study.md`. */
  path: string
  bytes: Buffer
  /** SHA-256 of all the bytes, lower-case hex. */
  hash: string
}

/** What a write may do while it holds the locks of its paths. */
export interface Files {
  /** Now by the database's clock, and later than `previous` by a millisecond at least. */
  nextTime(previous?: Date): Date
  /** The file, or undefined when there is none. Never from a cache. */
  read(path: string): Promise<FileBytes | undefined>
  /** Stages new bytes; returns their hash. Nothing is on disk before the write's decision. */
  put(path: string, bytes: Buffer): string
  /** Stages a removal. */
  remove(path: string): void
  /** What is looked up under the lock, once for all that share the write and look with the same key. */
  once<T>(key: string, look: () => Promise<T>): Promise<T>
}

/**
 * What a write decided: the answer, the rows that follow from the staged files, and the act. Both
 * must be idempotent: they are run again in a fresh transaction when the first one was lost after
 * the rename.
 */
export interface Decision<T> {
  result: T
  /** Brings every derived row in line with the staged files. */
  rows(kernel: Kernel): Promise<unknown>
  /** The acts to be recorded. They have happened even when another write came before the rows could be mended. */
  told?: readonly PendingEvent[]
  /** What else belongs to the act. */
  act?(kernel: Kernel): Promise<unknown>
}

/** One kind of knowledge file: where it lies, and how its rows are made from its bytes. */
export interface FileKind {
  kind: string
  /** The directory below the data directory. */
  root: string
  extension: string
  /** Whether a directory per project stands between the root and the files. */
  byProject: boolean
  /** Who the file is. Throws Unreadable when it cannot be understood. */
  identify(file: FileBytes): { id: string; updated: Date }
  /** Where the item with this id lies according to its row. */
  pathOf(db: Db, id: string): Promise<string | undefined>
  /**
   * Brings the rows in line with the file. `outside` says that the file is known and was changed by
   * another hand, which is an act to record; false when an index is merely built again.
   */
  index(kernel: Kernel, file: FileBytes, how: { outside: boolean }): Promise<void>
  /** The file is gone: removes its rows. */
  forget(kernel: Kernel, path: string): Promise<void>
}

/** Why a file is listed as a problem instead of being indexed. Words for the owner. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** The markdown files on disk: the truth from which rows are derived. */
export interface Vault {
  readonly disk: Disk
  /** The id that the data directory and the database share. */
  readonly storeId: string
  readonly fileKinds: readonly FileKind[]
  readonly health: StorageHealth
  /**
   * Runs one write of one or more files together with their rows, under the locks of `paths`.
   *
   * The rename decides: a failure before it leaves nothing, after it the rows are completed.
   * `indexed: false` says that the files are written and the database stayed away.
   * Throws what `decide` throws, or a Refusal that names the trouble with storage or database.
   *
   * `shared` is for changes that put the file they have read and leave its item what it is: those
   * that wait for one path are carried out together, each on what the one before it made.
   */
  write<T>(
    kernel: Kernel,
    paths: readonly string[],
    decide: (kernel: Kernel, files: Files) => Promise<Decision<T>>,
    how?: { shared?: boolean },
  ): Promise<{ result: T; indexed: boolean }>
  /** The file as it is now, without a lock. Refuses when the data directory is not the store's. */
  read(path: string): Promise<FileBytes | undefined>
  /** Refuses unless the data directory is there and is the store's. */
  assertPresent(): Promise<void>
}

export interface VaultOptions {
  db: Db
  /** The data directory. */
  dir: string
  fileKinds: readonly FileKind[]
  now: Date
  /** How many vault writes may hold a connection at once: half the pool. */
  writers: number
}

/** Opens the data directory and makes sure that it and the database are one store. */
export async function openVault(options: VaultOptions): Promise<Vault> {
  const { disk, storeId } = await openStore(options).catch((error: unknown) => {
    throw startTrouble(options.dir, error)
  })
  const health = new StorageHealth(disk, options.db)

  const assertPresent = async () => {
    if ((await directoryId(disk)) !== storeId) {
      throw unavailable('storage is missing: the data directory is not mounted')
    }
  }
  return {
    disk,
    storeId,
    fileKinds: options.fileKinds,
    health,
    assertPresent,
    write: vaultWriter({ disk, health, assertPresent, writers: options.writers }),
    async read(path) {
      const [file] = await Promise.all([readAt(disk, path), assertPresent()])
      return file && { path, bytes: file.bytes, hash: contentHash(file.bytes) }
    },
  }
}

async function openStore({ dir, db, now }: VaultOptions): Promise<{ disk: Disk; storeId: string }> {
  const disk = await openDisk(dir)
  const storeId = await adoptStore(db, disk, now)
  await proveWritable(disk)
  return { disk, storeId }
}

const CANNOT: Record<string, string> = {
  EACCES: 'the user that the service runs as may not write in it; change its owner or its mode',
  EPERM: 'the user that the service runs as may not write in it; change its owner or its mode',
  EROFS: 'its disk is read-only; mount it for writing',
  ENOSPC: 'its disk is full; make room',
  EDQUOT: 'its disk is full; make room',
  EIO: 'its disk fails; see the log of the system',
  ENOTDIR: 'something on the way to it is not a directory; check data_dir',
  EEXIST: 'it is not a directory; check data_dir',
  ELOOP: 'it is a link that leads nowhere; check data_dir',
  ENOENT: 'it is a link that leads nowhere; check data_dir',
  EMFILE: 'the service may open too few files; raise its limit (ulimit -n)',
  ENFILE: 'the system has too many files open',
  ENAMETOOLONG: 'its name is too long; check data_dir',
}

/** In words for the person who starts it; what is no trouble with the directory stays what it is. */
function startTrouble(dir: string, error: unknown): unknown {
  const why = CANNOT[(error as NodeJS.ErrnoException | null)?.code ?? '']
  if (!why || error instanceof Refusal) return error
  return unavailable(`the data directory ${dir} cannot be used: ${why}`, error)
}
