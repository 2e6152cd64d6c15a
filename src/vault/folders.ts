/**
 * The folders of the knowledge files. One that vanishes as a whole was moved away or is no longer mounted:
 * its items are not forgotten, and nothing new is written in its place, until it is back or an operator
 * says that it is gone.
 */
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Disk } from '../kernel/files.ts'
import type { Db } from '../kernel/kernel.ts'
import { unavailable } from '../kernel/refusal.ts'
import { isDirectory, stampAt } from './disk.ts'
import { sampleBelow } from './register.ts'

/** As many files may all be gone from a folder that stands: somebody has deleted them. */
const FEW = 10
/** As many of its files are looked for before a folder counts as empty. */
const SAMPLE = 200

interface Folder {
  kind: string
  root: string
}

export class Folders {
  readonly #disk: Disk
  readonly #folders: readonly Folder[]
  readonly #missing = new Set<string>()

  constructor(disk: Disk, folders: readonly Folder[]) {
    this.#disk = disk
    this.#folders = folders
  }

  /** The folders that had vanished at the last look: `notes`. */
  get missing(): string[] {
    return [...this.#missing]
  }

  /** Looks at every folder; makes those that have no file to miss. */
  async look(db: Db): Promise<void> {
    for (const folder of this.#folders) {
      if (!(await this.#hasVanished(db, folder))) await this.#make(folder)
    }
  }

  /** Refuses unless the folders of these paths are there. Cheap when they are. */
  async assertThere(db: Db, paths: readonly string[]): Promise<void> {
    const roots = new Set(paths.map((path) => path.split('/', 1)[0]))
    for (const folder of this.#folders) {
      const { root } = folder
      if (!roots.has(root) || (!this.#missing.has(root) && (await isDirectory(this.#disk, root))))
        continue
      if (await this.#hasVanished(db, folder)) throw gone(folder)
      await this.#make(folder)
    }
  }

  /** Refuses while any folder is missing, as the last look found. */
  assertNoneMissing(): void {
    const missing = this.#folders.find(({ root }) => this.#missing.has(root))
    if (missing) throw gone(missing)
  }

  async #hasVanished(db: Db, { root }: Folder): Promise<boolean> {
    const vanished = await this.#isGone(db, root)
    if (vanished) this.#missing.add(root)
    else this.#missing.delete(root)
    return vanished
  }

  /** Asks the database only about a folder that is not there, or empty, or was missing. */
  async #isGone(db: Db, root: string): Promise<boolean> {
    const names = await readdir(join(this.#disk.root, root)).catch(() => undefined)
    const wasMissing = this.#missing.has(root)
    if (names && names.length > 0 && !wasMissing) return false
    const known = await sampleBelow(db, root, SAMPLE)
    if (known.length === 0) return false
    if (!names) return true
    // A folder that is made again in the old place, or an empty mount point, does not bring the files back.
    if (known.length <= FEW && !wasMissing) return false
    for (const path of known) {
      if (await stampAt(this.#disk, path).catch(() => null)) return false
    }
    return true
  }

  async #make({ root }: Folder): Promise<void> {
    await mkdir(join(this.#disk.root, root), { mode: 0o700 }).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    })
  }
}

const gone = ({ kind, root }: Folder) =>
  unavailable(
    `storage is missing: the folder ${root}/ has vanished from the data directory; put it back, or, if ` +
      `it is gone for good, run "loam reindex --forget-missing ${kind}"`,
  )
