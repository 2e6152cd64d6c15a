/** The files that one write is about to change: staged beside their targets, then moved into place. */
import type { Disk } from '../kernel/files.ts'
import type { Failpoint } from '../kernel/failpoint.ts'
import { newFileId } from '../kernel/id.ts'
import {
  makeDirectories,
  moveInto,
  removeAt,
  sameStamp,
  stampAt,
  sweepAt,
  syncIfThere,
  writeNew,
  type Stamp,
} from './disk.ts'
import { completeIntent, dropIntent, writeIntent } from './intent.ts'
import { assertPath, contentHash, tempName } from './paths.ts'

/** The target changed between the read and the rename: somebody else wrote. The write starts again. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}

export interface Put {
  path: string
  bytes: Buffer
  hash: string
  temp: string
  /** Of the temp file, and so of the target after the rename. */
  stamp?: Stamp
}

/** What a path held when it was read inside the lock; undefined stamp: nothing. */
export interface Seen {
  stamp: Stamp | undefined
  hash: string | undefined
}

export class Staging {
  readonly puts: Put[] = []
  readonly removes: string[] = []
  /** True from the first rename or removal on: then the write can be completed, and not undone. */
  decided = false
  /** True once the decision survives a power cut. */
  durable = false
  readonly #disk: Disk
  readonly #seen = new Map<string, Seen>()
  #intent: string | undefined

  constructor(disk: Disk) {
    this.#disk = disk
  }

  saw(path: string, seen: Seen): void {
    this.#seen.set(path, seen)
  }

  put(path: string, bytes: Buffer): string {
    assertPath(path)
    const hash = contentHash(bytes)
    const at = path.lastIndexOf('/') + 1
    const temp = path.slice(0, at) + tempName(path.slice(at), newFileId())
    this.puts.push({ path, bytes, hash, temp })
    return hash
  }

  remove(path: string): void {
    assertPath(path)
    this.removes.push(path)
  }

  /** Writes every temp file and makes it durable. */
  async writeTemps(failpoint: Failpoint): Promise<void> {
    for (const put of this.puts) {
      await makeDirectories(this.#disk, put.path)
      put.stamp = await writeNew(this.#disk, put.temp, put.bytes, () => failpoint('after-temp'))
      await failpoint('after-fsync')
    }
  }

  /** The last look before the decision: every target is still what was read. */
  async checkTargets(): Promise<void> {
    for (const path of [...this.puts.map((put) => put.path), ...this.removes]) {
      const now = await stampAt(this.#disk, path)
      if (!sameStamp(now, this.#seen.get(path)?.stamp)) throw new Overtaken(path)
    }
  }

  /**
   * Moves the files into place. One file: its rename decides. Several: an intent on disk decides,
   * from which a later start completes what a crash left half done.
   */
  async moveIntoPlace(failpoint: Failpoint): Promise<void> {
    if (this.puts.length + this.removes.length > 1) {
      this.#intent = await writeIntent(this.#disk, {
        puts: this.puts.map(({ path, temp, hash }) => ({
          path,
          temp,
          hash,
          base: this.#base(path),
        })),
        removes: this.removes.map((path) => ({ path, base: this.#base(path) })),
      })
      this.decided = true
    }
    for (const put of this.puts) {
      await moveInto(this.#disk, put.temp, put.path)
      this.decided = true
    }
    for (const path of this.removes) {
      await removeAt(this.#disk, path)
      this.decided = true
    }
    await failpoint('after-rename')
  }

  /** Makes durable what was moved. `sync` does so for a directory, which several writes may share. */
  async makeDurable(sync: (directory: string) => Promise<void>, failpoint: Failpoint) {
    await Promise.all([...this.#directories()].map(sync))
    this.durable = true
    await failpoint('after-dir-fsync')
  }

  /** After the commit: the intent has been carried out. */
  async done(): Promise<void> {
    if (this.#intent) await dropIntent(this.#disk, this.#intent)
  }

  /** After the decision: takes the missing steps of a change of several files, and makes all durable. */
  async rollForward(): Promise<void> {
    if (this.#intent) await completeIntent(this.#disk, this.#intent)
    if (this.durable) return
    for (const directory of this.#directories()) await syncIfThere(this.#disk, directory)
    this.durable = true
  }

  /** Before the decision: leaves nothing. */
  async discard(): Promise<void> {
    for (const put of this.puts) await sweepAt(this.#disk, put.temp)
  }

  /** Whether the files still are what this write made of them. */
  async stands(): Promise<boolean> {
    for (const { path, stamp } of this.puts) {
      if (!sameStamp(await stampAt(this.#disk, path), stamp)) return false
    }
    for (const path of this.removes) {
      if (await stampAt(this.#disk, path)) return false
    }
    return true
  }

  #base(path: string): string | null {
    return this.#seen.get(path)?.hash ?? null
  }

  #directories(): Set<string> {
    const paths = [...this.puts.map((put) => put.path), ...this.removes]
    return new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/'))))
  }
}
