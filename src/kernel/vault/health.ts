import { sql } from 'kysely'
import type { Db } from '../kernel.ts'
import type { Disk } from './disk.ts'
import { sweepAt, syncFile, writeNew } from './disk.ts'

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

/** Writes a file of one block, makes it durable and removes it; throws what the file system throws. */
export async function proveWritable(disk: Disk): Promise<void> {
  const path = `.loam-probe-${process.pid}`
  await sweepAt(disk, path)
  try {
    await writeNew(disk, path, Buffer.alloc(4096, 1))
    await syncFile(disk, path)
  } finally {
    await sweepAt(disk, path)
  }
}
