import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Disk } from '../kernel/files.ts'
import { newFileId } from '../kernel/id.ts'
import type { Db } from '../kernel/kernel.ts'
import { sweepAt, sweepOwn } from './disk.ts'

const PROBE = '.loam-probe-'
const PROBE_MS = 2_000

/**
 * Whether the data directory and the database's disk take writes, as the last write found them.
 *
 * After a failure both are written to every two seconds until that succeeds, so that /healthz
 * recovers without a restart and without anybody writing.
 */
export class StorageHealth {
  readonly #disk: Disk
  readonly #db: Db
  #cause: string | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(disk: Disk, db: Db) {
    this.#disk = disk
    this.#db = db
  }

  /** Null while storage is fine, else what the last write failed with. */
  get cause(): string | null {
    return this.#cause
  }

  failed(cause: string): void {
    this.#cause = cause
    this.#timer ??= setInterval(() => void this.#probe(), PROBE_MS).unref()
  }

  fine(): void {
    this.#cause = null
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #probe(): Promise<void> {
    try {
      await proveWritable(this.#disk)
      await sql`update store set id = id`.execute(this.#db)
      this.fine()
    } catch {
      // Still failing: the cause of the last write stands.
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }
}

/**
 * Writes one block and makes it durable; throws what the file system throws. The file loses its name
 * at once, and one that a crash left before that is swept by the next.
 */
export async function proveWritable(disk: Disk): Promise<void> {
  await sweepOwn(disk, PROBE)
  const path = `${PROBE}${newFileId()}`
  const file = await open(join(disk.root, path), 'wx', 0o600)
  try {
    await sweepAt(disk, path)
    await file.writeFile(Buffer.alloc(4096, 1))
    await file.sync()
  } finally {
    await file.close()
  }
}
