import type { Disk } from './disk.ts'
import { sweepAt, syncFile, writeNew } from './disk.ts'

const PROBE_MS = 2_000

/**
 * Whether the data directory takes writes, as the last write found it.
 *
 * After a failure a probe file is written every two seconds until one succeeds, so that /healthz
 * recovers without a restart and without anybody writing.
 */
export class StorageHealth {
  readonly #disk: Disk
  #cause: string | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(disk: Disk) {
    this.#disk = disk
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
    const path = `.loam-probe-${process.pid}`
    try {
      await sweepAt(this.#disk, path)
      await writeNew(this.#disk, path, Buffer.alloc(4096, 1))
      await syncFile(this.#disk, path)
      this.fine()
    } catch {
      // Still failing: the cause of the last write stands.
    } finally {
      await sweepAt(this.#disk, path)
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
