/**
 * How far the rows are behind the files, and what a miss means until they have caught up.
 *
 * Rows are behind while the files are read after a start, in a database that has never seen all of
 * them (another process may be reading them into it), and when a write was acknowledged while the
 * database was away.
 */
import { sql } from 'kysely'
import { STILL_READING, stillReading } from '../kernel/catch-up.ts'
import type { CatchUp, Db, Kernel, Missed } from '../kernel/kernel.ts'
import type { Refusal } from '../kernel/refusal.ts'
import { asRefusal } from '../kernel/trouble.ts'
import { sameStamp, stampAt } from './disk.ts'
import { reconcile, type Reconciled } from './reconcile.ts'
import { findRegistered } from './register.ts'
import { reindexFile } from './reindex.ts'
import { isLeft, settle, type Settled } from './settle.ts'
import { settled, owedChangedAt } from './unindexed.ts'
import type { FileKind, VaultKernel } from './vault.ts'
import { listFiles, listUnregistered, readIds } from './whereabouts.ts'

/** How often this process looks whether anything is left to be done. */
const TICK_MS = 1_000
/** How often the files are read before some that cannot be indexed stop nobody any more. */
const PASSES = 3
/** As many files are brought in line for one miss; more of them are left to the pass over all files. */
const MOST_FOR_A_MISS = 200
/** File systems round the times of directories. */
const COARSE_MS = 50

export interface Progress {
  behind: boolean
  /** Files that were looked at. */
  read: number
  /** Files that there are. */
  files: number
}

export class VaultCatchUp implements CatchUp {
  /** Whether other processes may work on the same database. */
  readonly #shared: boolean
  /** Since when the rows are in line, by performance.now(); null: they are behind. */
  #inLineSince: number | null = null
  /** Whether something was left, or the database was not yet whole, at the last look. */
  #owes = false
  /** When the database had every row for the first time, as it says, and since when this process knows. */
  #whole: { at: string | null; since: number } = { at: null, since: 0 }
  /** When the newest look at that began. */
  #looked = -Infinity
  #read = 0
  #files = 0
  #passes = 0
  #passing: Promise<Reconciled | undefined> | undefined
  #settling: Promise<Settled> = Promise.resolve({ changed: false, left: 0, everything: [] })
  #next: Promise<Settled> | undefined
  #ids: Promise<ReadonlyMap<string, string>> | undefined
  #ticking: NodeJS.Timeout | undefined
  #closed = false

  constructor({ shared }: { shared: boolean }) {
    this.#shared = shared
  }

  get progress(): Progress {
    const behind = this.#inLineSince === null || this.#owes
    return { behind, read: this.#read, files: this.#files }
  }

  /** Reads every file that its rows may be behind; then and from then on settles what is left. */
  async start(kernel: VaultKernel): Promise<void> {
    this.#ticking = setInterval(() => void this.#tick(kernel), TICK_MS).unref()
    await this.#pass(kernel)
  }

  /** Settles what is left. Waits for one that is under way, which may have looked too early. */
  settle(kernel: Kernel): Promise<Settled> {
    const next = (this.#next ??= this.#settling
      .catch(() => {})
      .then(() => {
        this.#settling = next
        this.#next = undefined
        return settle(kernel as VaultKernel)
      }))
    return next
  }

  async lookFor(kernel: Kernel, missed: Missed): Promise<boolean> {
    if (kernel.db.isTransaction) return false
    const { vault } = kernel as VaultKernel
    const fileKind = vault.fileKinds.find(({ kind }) => kind === missed.kind)
    if (!fileKind) throw new Error(`no file kind ${missed.kind}`)
    const behind = this.#inLineSince === null
    let again = behind
    if (await isLeft(vault.disk)) again = (await this.settle(kernel)).changed || again
    for (const path of await this.#candidates(kernel, fileKind, missed)) {
      again = (await bring(kernel, fileKind, path)) || again
    }
    return again
  }

  /** The files that a miss may mean. */
  async #candidates(kernel: Kernel, fileKind: FileKind, missed: Missed): Promise<string[]> {
    const { id, paths = [], gone = false } = missed
    const { disk } = kernel.vault
    if (gone && paths[0] !== undefined) await kernel.vault.assertFolder(kernel.db, paths[0])
    if (!gone && id === undefined) return [...paths]
    if (id !== undefined && (await this.#isBehind(kernel))) {
      const path = (await this.#idsOf(kernel)).get(id)
      return path?.startsWith(`${fileKind.root}/`) ? [path] : []
    }
    if (!gone) return []
    // Its file may have been moved by hand a moment ago, and thousands with it.
    const unread = await listUnregistered(kernel.db, disk, fileKind)
    const ids = await readIds(disk, unread)
    const moved = id === undefined ? undefined : ids.get(id)
    if (moved !== undefined) return [moved]
    const others = new Set(ids.values())
    return unread.filter((path) => !others.has(path)).slice(0, MOST_FOR_A_MISS)
  }

  /** The ids of all files without rows, read once until the rows are in line. */
  #idsOf(kernel: Kernel): Promise<ReadonlyMap<string, string>> {
    const { disk, fileKinds } = (kernel as VaultKernel).vault
    const ids = (this.#ids ??= Promise.all(
      fileKinds.map((fileKind) => listUnregistered(kernel.db, disk, fileKind)),
    ).then((all) => readIds(disk, all.flat())))
    ids.catch(() => (this.#ids = undefined))
    return ids
  }

  async doubt(kernel: Kernel, began: number): Promise<Refusal | undefined> {
    try {
      const { vault } = kernel as VaultKernel
      vault.folders.assertNoneMissing()
      if (await this.#isBehind(kernel, began)) return stillReading()
      if ((await isLeft(vault.disk)) && (await this.settle(kernel)).left > 0) return stillReading()
      const since = Date.now() - (performance.now() - began) - COARSE_MS
      // Another process may have settled it between the look at the rows and this one.
      return (await owedChangedAt(vault.disk)) >= since ? stillReading() : undefined
    } catch (error) {
      return asRefusal(error) ?? stillReading()
    }
  }

  async gap(kernel: Kernel, began = performance.now()): Promise<string | undefined> {
    if (await this.#isBehind(kernel, began, began)) return STILL_READING
    if (!(await isLeft(kernel.vault.disk))) return undefined
    return (await this.settle(kernel)).left > 0 ? STILL_READING : undefined
  }

  /**
   * Whether the rows are behind all files, or were at a time after `began`.
   *
   * @param looked a look at the database that began since then is not too old
   */
  async #isBehind(
    { db }: Kernel,
    began = performance.now(),
    looked = performance.now(),
  ): Promise<boolean> {
    if (this.#inLineSince === null || this.#inLineSince > began) return true
    if (!this.#shared) return false
    if (this.#looked < looked) await this.#lookAtDatabase(db)
    return this.#whole.at === null || this.#whole.since > began
  }

  async #lookAtDatabase(db: Db): Promise<void> {
    const began = performance.now()
    const { rows } = await sql<{ at: string | null }>`
      select files_read_at::text as at from store`.execute(db)
    this.saw(rows[0]?.at ?? null, began)
  }

  saw(at: string | null, began: number): void {
    // Another time is that of another database: this one was whole only a moment ago, perhaps.
    if (at !== this.#whole.at) this.#whole = { at, since: performance.now() }
    this.#looked = Math.max(this.#looked, began)
  }

  async #tick(kernel: VaultKernel): Promise<void> {
    if (this.#closed || this.#passing) return
    try {
      const { vault, db } = kernel
      await vault.assertPresent()
      await vault.folders.look(db)
      const { left, everything } = (await isLeft(vault.disk))
        ? await this.settle(kernel)
        : { left: 0, everything: [] }
      const whole = !(await this.#isBehind(kernel))
      this.#owes = left > 0 || everything.length > 0 || !whole
      if (whole) this.#ids = undefined
      if (!whole || everything.length > 0) await this.#pass(kernel)
    } catch (error) {
      if (!this.#closed) kernel.log.debug({ err: error }, 'what is left could not be looked at')
    }
  }

  #pass(kernel: VaultKernel): Promise<unknown> {
    return (this.#passing ??= this.#passOnce(kernel)
      .catch((error: unknown) => {
        if (!this.#closed) kernel.log.error({ err: error }, 'the files could not be reconciled')
        return undefined
      })
      .finally(() => (this.#passing = undefined)))
  }

  /** Looks at every file once. The rows are in line when each could be judged. */
  async #passOnce(kernel: VaultKernel): Promise<Reconciled | undefined> {
    const { vault, db } = kernel
    await kernel.failpoint('before-catch-up')
    const { everything } = await this.settle(kernel)
    this.#read = 0
    this.#files = 0
    for (const fileKind of vault.fileKinds) {
      this.#files += (await listFiles(vault.disk, fileKind)).length
    }
    const report = await reconcile(kernel, {
      seen: (count) => (this.#read = count),
      going: () => !this.#closed,
    })
    if (this.#closed) return undefined
    this.#passes++
    if (report.failed > 0 && this.#passes < PASSES) return report
    for (const owed of everything) await settled(vault.disk, owed)
    await sql`update store set files_read_at = loam_now() where files_read_at is null`.execute(db)
    await this.#lookAtDatabase(db)
    this.#inLineSince ??= performance.now()
    this.#ids = undefined
    this.#owes = false
    kernel.log.info(report, 'the rows are in line with the files')
    return report
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#ticking)
    await this.#passing
  }
}

/** Whether the rows of one path were made. Those of a file that is registered as it stands are. */
async function bring(kernel: Kernel, fileKind: FileKind, path: string): Promise<boolean> {
  const stamp = await stampAt(kernel.vault.disk, path).catch(() => undefined)
  if (!stamp) return false
  const known = await findRegistered(kernel.db, path)
  if (known && sameStamp(stamp, known)) return false
  return (await reindexFile(kernel, fileKind, path)) === 'indexed'
}
