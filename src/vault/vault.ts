/**
 * The vault: knowledge as files on disk, which are the truth, and the rows that follow from them.
 *
 * This file holds its types and opens it; vault/ holds how writes are made durable (write.ts, attempt.ts), how
 * a change of several files survives a crash between them (intent.ts), and how rows catch up with
 * external changes (reindex.ts, reconcile.ts, watch.ts).
 */
import type { FileBytes } from '../kernel/files.ts'
import type { Db, Kernel, Vault } from '../kernel/kernel.ts'
import { Refusal, unavailable } from '../kernel/refusal.ts'
import { unusable } from '../kernel/trouble.ts'
import { openDisk, readAt } from './disk.ts'
import { contentHash } from './paths.ts'
import { watchGround } from './ground.ts'
import { Folders } from './folders.ts'
import { proveWritable, StorageHealth } from './health.ts'
import { adoptStore, beginsAnew, directoryId } from './store-id.ts'
import { vaultWriter } from './write.ts'

export type { FileBytes, Files, FileTimes } from '../kernel/files.ts'
export { timesOf } from './disk.ts'
export { Unreadable } from '../kernel/unreadable.ts'

/** One kind of knowledge file: where it lies, and how its rows are made from its bytes. */
export interface FileKind {
  kind: string
  /** The directory below the data directory. */
  root: string
  extension: string
  /** Whether a directory per project stands between the root and the files. */
  byProject: boolean
  /** The item that the file is of. Throws Unreadable when it cannot be understood. */
  identify(file: FileBytes): { id: string; updated: Date }
  /** Where the item with this id lies according to its row. */
  pathOf(db: Db, id: string): Promise<string | undefined>
  /**
   * Brings the rows in line with the file. `external` says that the file is known and was changed
   * outside of Loam, which is an act to record. It is false when an index is merely built again.
   */
  index(kernel: Kernel, file: FileBytes, how: { external: boolean }): Promise<void>
  /** The bytes of a file with the times written down that it has from the file system alone: no copy keeps those. */
  dated?(file: FileBytes): Buffer
  /** The file is gone: removes its rows. */
  forget(kernel: Kernel, path: string): Promise<void>
}

/** The vault as it was opened, with what only its own files, the start and the import may touch. */
export interface OpenVault extends Vault {
  /** The database knew nothing when it was opened, and the directory holds knowledge: rows are made from files alone. */
  readonly isAnew: boolean
  readonly fileKinds: readonly FileKind[]
  readonly health: StorageHealth
  /** Resolves when another store stands where the data directory was. */
  readonly displaced: Promise<'elsewhere'>
  close(): void
  readonly folders: Folders
}

/** The kernel as the vault's own work needs it. */
export interface VaultKernel extends Kernel {
  vault: OpenVault
}

export interface VaultOptions {
  db: Db
  /** The data directory. */
  dir: string
  fileKinds: readonly FileKind[]
  now: Date
  /** How many vault writes may hold a connection at once: half the pool. */
  writers: number
  /** One transaction waits for the end of another. */
  inTurns?: boolean
  /** Whether the database's own directory stands where it stood. A server has none. */
  stands?: () => Promise<boolean>
}

/** Opens the data directory and makes sure that it and the database are one store. */
export async function openVault(options: VaultOptions): Promise<OpenVault> {
  const { stands = async () => true } = options
  const { disk, storeId, isAnew } = await openStore(options).catch((error: unknown) => {
    throw startTrouble(options.dir, error)
  })
  const health = new StorageHealth(disk, options.db)
  const ground = watchGround(disk)
  const folders = new Folders(disk, options.fileKinds)

  const assertPresent = async () => {
    const [id, leads] = await Promise.all([directoryId(disk), disk.held.leads()])
    if (id !== storeId || leads !== 'here') throw missing()
  }
  /** A restore may replace what lies in the directory and leave the directory itself. */
  const assertWritable = async () => {
    const [standing] = await Promise.all([stands(), assertPresent()])
    if (!standing) throw missing()
  }
  return {
    disk,
    storeId,
    isAnew,
    fileKinds: options.fileKinds,
    health,
    folders,
    assertFolder: (db, path) => folders.assertThere(db, [path]),
    displaced: ground.displaced,
    assertPresent,
    write: vaultWriter({
      disk,
      health,
      folders,
      assertPresent: assertWritable,
      writers: options.writers,
      inTurns: options.inTurns ?? false,
    }),
    async read(path) {
      const [file] = await Promise.all([readAt(disk, path), assertPresent()])
      return file && { path, bytes: file.bytes, hash: contentHash(file.bytes), times: file.times }
    },
    close() {
      health.close()
      ground.close()
    },
  }
}

const missing = () => unavailable('storage is missing: the data directory is not mounted')

async function openStore(
  options: VaultOptions,
): Promise<Pick<OpenVault, 'disk' | 'storeId' | 'isAnew'>> {
  const { dir, db, now, fileKinds } = options
  const disk = await openDisk(dir)
  try {
    const isAnew = await beginsAnew(db, disk, fileKinds)
    const storeId = await adoptStore(db, disk, now)
    await proveWritable(disk)
    return { disk, storeId, isAnew }
  } catch (error) {
    disk.held.close()
    throw error
  }
}

/** In words for the person who starts the service. Errors that do not concern the directory stay as they are. */
function startTrouble(dir: string, error: unknown): unknown {
  const why = unusable(error)
  if (!why || error instanceof Refusal) return error
  return unavailable(`the data directory ${dir} cannot be used: ${why}`, error)
}
