/**
 * Watches the directories of the file kinds, so that an external change shows within a second.
 *
 * A watcher may drop events (network mounts, a full queue); the timer's reconcile makes it certain.
 * Our own writes are seen here too and found unchanged.
 */
import { watch, type FSWatcher } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { FileKind, VaultKernel } from './vault.ts'
import { sameStamp, stampAt } from './disk.ts'
import { looksLost, reconcile } from './reconcile.ts'
import { amongRegistered, countRegistered, findRegistered, listRegistered } from './register.ts'
import { reindexFile } from './reindex.ts'

const DEBOUNCE_MS = 300
/** A file that cannot be reindexed now (the database is busy or away) is tried again, for a minute. */
const RETRY_MS = 2_000
const TRIES = 30
/** How often a removal waits for other changes to be looked at first: writers must not delay it for ever. */
const MOST_DEFERRALS = 10
/** How often each root is compared with the directory that is watched. */
const RENEW_MS = 2_000

export class VaultWatcher {
  readonly #kernel: VaultKernel
  readonly #watchers = new Map<string, FSWatcher>()
  /** Which directory each root was when it was watched; null: none. */
  readonly #roots = new Map<string, string | null>()
  readonly #due = new Map<string, NodeJS.Timeout>()
  readonly #gone = new Map<string, FileKind>()
  /** A thousand files copied in at once leave the database to those who wait for an answer. */
  readonly #few = pLimit(2)
  /** Paths that are looked at. */
  #looking = 0
  #dropping: NodeJS.Timeout | undefined
  #deferrals = MOST_DEFERRALS
  #renewing: NodeJS.Timeout | undefined
  #closed = false

  constructor(kernel: VaultKernel) {
    this.#kernel = kernel
  }

  async start(): Promise<void> {
    const { fileKinds, folders } = this.#kernel.vault
    await folders.look(this.#kernel.db)
    for (const fileKind of fileKinds) await this.#renew(fileKind)
    this.#renewing = setInterval(() => void this.#renewAll(), RENEW_MS).unref()
  }

  async #renewAll(): Promise<void> {
    try {
      for (const fileKind of this.#kernel.vault.fileKinds) {
        // A full look finds what happened in it before it was watched.
        if (await this.#renew(fileKind)) await reconcile(this.#kernel, { fileKind })
      }
    } catch (error) {
      if (!this.#closed) this.#kernel.log.warn({ err: error }, 'the watches were not renewed')
    }
  }

  /**
   * Watches a root that was not there before; true when there is one. A root that was replaced, as by
   * a mount, is another directory under the same name, of which the old watch reports nothing.
   */
  async #renew(fileKind: FileKind): Promise<boolean> {
    const { root, byProject } = fileKind
    const at = join(this.#kernel.vault.disk.root, root)
    const stats = await lstat(at, { bigint: true }).catch(() => null)
    const identity = stats && `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`
    if (identity === this.#roots.get(root)) return false
    for (const watched of [...this.#watchers.keys()]) {
      if (watched === root || watched.startsWith(`${root}/`)) this.#unwatch(watched)
    }
    this.#roots.set(root, identity)
    if (!stats?.isDirectory()) return false
    this.#watch(fileKind, root)
    for (const entry of byProject ? await readdir(at, { withFileTypes: true }) : []) {
      if (entry.isDirectory() && !entry.name.startsWith('.'))
        this.#watch(fileKind, `${root}/${entry.name}`)
    }
    return true
  }

  #watch(fileKind: FileKind, directory: string): void {
    if (this.#closed || this.#watchers.has(directory)) return
    try {
      const watcher = watch(join(this.#kernel.vault.disk.root, directory), (_, name) => {
        if (name !== null) this.#changed(fileKind, directory, name)
      })
      // The directory was removed, or a limit of the system is reached: the timer goes on without it.
      watcher.on('error', () => this.#unwatch(directory))
      watcher.unref()
      this.#watchers.set(directory, watcher)
    } catch (error) {
      this.#kernel.log.warn({ err: error, directory }, 'a directory cannot be watched')
    }
  }

  #unwatch(directory: string): void {
    this.#watchers.get(directory)?.close()
    this.#watchers.delete(directory)
  }

  #changed(fileKind: FileKind, directory: string, name: string): void {
    if (this.#closed || name.startsWith('.')) return
    const path = `${directory}/${name}`
    const atRoot = fileKind.byProject && directory === fileKind.root
    if (!atRoot && !name.endsWith(fileKind.extension)) return
    this.#soon(path, () =>
      atRoot
        ? this.#few(() => this.#newDirectory(fileKind, path))
        : this.#lookAtFile(fileKind, path),
    )
  }

  /** Looks once the path has been quiet for a moment; tries again what failed. */
  #soon(path: string, look: () => Promise<void>, waitMs = DEBOUNCE_MS, tries = TRIES): void {
    if (this.#closed) return
    clearTimeout(this.#due.get(path))
    const attempt = async () => {
      this.#looking++
      try {
        if (!this.#closed) await look()
      } catch (error) {
        if (this.#closed) return
        this.#kernel.log.warn({ err: error, path }, 'a changed file was not indexed')
        if (tries > 1 && !this.#due.has(path)) this.#soon(path, look, RETRY_MS, tries - 1)
      } finally {
        this.#looking--
      }
    }
    const due = setTimeout(() => {
      this.#due.delete(path)
      void attempt()
    }, waitMs).unref()
    this.#due.set(path, due)
  }

  /** Files may have been put into a new directory before it was watched. */
  async #newDirectory(fileKind: FileKind, directory: string): Promise<void> {
    this.#unwatch(directory)
    const at = join(this.#kernel.vault.disk.root, directory)
    // A link is not followed.
    const stats = await lstat(at).catch(() => null)
    if (stats === null) return this.#goneDirectory(fileKind, directory)
    if (!stats.isDirectory()) return
    this.#watch(fileKind, directory)
    const known = await listRegistered(this.#kernel.db, directory)
    const names = known.map(({ path }) => path.slice(directory.length + 1))
    for (const name of new Set([...names, ...(await readdir(at))])) {
      this.#changed(fileKind, directory, name)
    }
  }

  /** When a directory is moved away, no events come for the files in it. */
  async #goneDirectory(fileKind: FileKind, directory: string): Promise<void> {
    const known = await listRegistered(this.#kernel.db, directory)
    for (const { path } of known) this.#missing(fileKind, path)
  }

  async #lookAtFile(fileKind: FileKind, path: string): Promise<void> {
    // A link or a directory is looked at all the same, so that it is listed as a problem.
    const stamp = await stampAt(this.#kernel.vault.disk, path).catch(() => null)
    // The common case is our own write: a row shows that, without a lock, and one statement reads those of many.
    const known = await findRegistered(this.#kernel.db, path)
    if (stamp && known?.problem === null && sameStamp(stamp, known)) return
    if (stamp !== undefined) await this.#few(() => reindexFile(this.#kernel, fileKind, path))
    else if (known) this.#missing(fileKind, path)
  }

  /** Removals are gathered for a moment: very many at once mean a lost disk. */
  #missing(fileKind: FileKind, path: string, waitMs = DEBOUNCE_MS): void {
    if (this.#closed) return
    this.#gone.set(path, fileKind)
    clearTimeout(this.#dropping)
    this.#dropping = setTimeout(() => void this.#drop(), waitMs).unref()
  }

  async #drop(): Promise<void> {
    // On a busy machine the rest of the same removal may still be waiting to be looked at.
    const busy = this.#due.size + this.#looking > 0
    const [first] = this.#gone
    if (busy && first && this.#deferrals-- > 0) return this.#missing(first[1], first[0])
    this.#deferrals = MOST_DEFERRALS
    const missed = [...this.#gone]
    this.#gone.clear()
    try {
      // What was reindexed meanwhile is no removal any more, and must not make the rest look like a lost disk.
      const registered = await amongRegistered(
        this.#kernel.db,
        missed.map(([path]) => path),
      )
      const { folders } = this.#kernel.vault
      await folders.look(this.#kernel.db)
      const gone = missed.filter(
        ([path, { root }]) => registered.has(path) && !folders.missing.includes(root),
      )
      if (looksLost(gone.length, await countRegistered(this.#kernel.db))) {
        this.#kernel.log.error({ missing: gone.length }, 'many knowledge files are gone at once')
        return
      }
      for (const [path, fileKind] of gone) await reindexFile(this.#kernel, fileKind, path)
    } catch (error) {
      if (this.#closed) return
      this.#kernel.log.warn({ err: error }, 'removed files were not dropped')
      for (const [path, fileKind] of missed) this.#missing(fileKind, path, RETRY_MS)
    }
  }

  close(): void {
    this.#closed = true
    this.#few.clearQueue()
    clearTimeout(this.#dropping)
    clearInterval(this.#renewing)
    for (const timer of this.#due.values()) clearTimeout(timer)
    for (const directory of [...this.#watchers.keys()]) this.#unwatch(directory)
  }
}
