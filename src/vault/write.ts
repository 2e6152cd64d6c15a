/**
 * One durable write: files and rows in one transaction, decided by the rename.
 *
 * The order: lock the paths in the database; read inside the lock; let the room decide; write its
 * rows and, meanwhile, the temp files with their fsync; prove on the same connection that the lock
 * is still ours; look at the targets once more; rename; fsync the directory; commit.
 *
 * Changes that wait for one path may share a write (shared.ts).
 *
 * An advisory lock does not protect a file system: when the backend dies during the fsync, another
 * writer takes the lock, writes and is acknowledged. Hence the proof right before the rename.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { sql } from 'kysely'
import { recordAll } from '../kernel/events.ts'
import type { Disk, FileBytes, Files } from '../kernel/files.ts'
import type { Db, Decision, Kernel, Vault } from '../kernel/kernel.ts'
import { unavailable, type Refusal } from '../kernel/refusal.ts'
import { sqlState } from '../kernel/sql-state.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { asRefusal, databaseTrouble, storageTrouble } from '../kernel/trouble.ts'
import { KeyedMutex } from '../kernel/keyed-mutex.ts'
import { readAt } from './disk.ts'
import type { Folders } from './folders.ts'
import type { StorageHealth } from './health.ts'
import { contentHash, lockKey } from './paths.ts'
import { forgetFile, registerFile } from './register.ts'
import { carryOutAll, Waiting, type Change, type Decide, type Written } from './shared.ts'
import { Overtaken, Staging } from './staging.ts'
import { oweRows } from './unindexed.ts'

/** How often a write starts again because another program changed the file under it. */
const OVERTAKEN_TRIES = 5
/** How long rows are completed after the rename before the answer says `indexed: false`. */
const COMPLETE_MS = 5_000
const NOT_DURABLE =
  'storage failed while the change was being made; read the item again before you repeat it'
/** On a network file system an old state may be served this long after another machine's write. */
const STALE_MS = 1_000

export interface Tools {
  disk: Disk
  health: StorageHealth
  folders: Folders
  assertPresent(): Promise<void>
  writers: number
}

export function vaultWriter(tools: Tools): Vault['write'] {
  // A write queues on its paths before it takes a connection, and writes leave half the pool to reads.
  const mutex = new KeyedMutex()
  const connections = pLimit(Math.max(1, tools.writers))

  const waiting = new Waiting()

  async function share<T>(kernel: Kernel, path: string, decide: Decide<T>): Promise<Written<T>> {
    const change: Change = { decide }
    const write = <T>(all: Decide<T>) => writeOnce(tools, kernel, [path], all)
    waiting.add(path, change)
    await mutex.run([path], async () => {
      if (!change.outcome) await connections(() => carryOutAll(waiting.take(path), write))
    })
    const { outcome } = change
    if (!outcome) throw new Error('a change was lost')
    if ('error' in outcome) throw outcome.error
    return outcome as Written<T>
  }

  return (kernel, paths, decide, { shared = false } = {}) => {
    if (kernel.db.isTransaction) throw new Error('a vault write opens its own transaction')
    const [path, ...more] = new Set(paths)
    if (shared && path !== undefined && more.length === 0) return share(kernel, path, decide)
    return mutex.run(paths, () => connections(() => writeOnce(tools, kernel, paths, decide)))
  }
}

async function writeOnce<T>(
  tools: Tools,
  kernel: Kernel,
  paths: readonly string[],
  decide: Decide<T>,
): Promise<Written<T>> {
  for (let attempt = 1; ; attempt++) {
    let staging = new Staging(tools.disk)
    let decision: Decision<T> | undefined
    try {
      decision = await inTransaction(kernel, async (kernel) => {
        // A deadlock before the decision runs this again, on a clean staging.
        await staging.discard()
        staging = new Staging(tools.disk)
        const [now] = await Promise.all([lockPaths(kernel.db, paths), tools.assertPresent()])
        await tools.folders.assertThere(kernel.db, paths)
        decision = await decide(kernel, filesUnderLock(kernel, tools.disk, staging, now))
        await carryOut(tools, kernel, staging, decision)
        return decision
      })
      await staging.done()
      if (staging.puts.length > 0) tools.health.fine()
      await kernel.failpoint('after-commit')
      return { result: decision.result, indexed: true }
    } catch (error) {
      if (staging.decided && decision) {
        const indexed = await completeRows(tools, kernel, paths, staging, decision, error)
        return { result: decision.result, indexed }
      }
      await staging.discard()
      if (wasOvertaken(error) && attempt < OVERTAKEN_TRIES) continue
      const trouble = storageTrouble(error) ?? databaseFull(error)
      if (trouble) tools.health.failed(trouble.message)
      throw wording(error)
    }
  }
}

/** A directory that vanishes under a write is an external change as well; the next try says what is missing. */
const wasOvertaken = (error: unknown): boolean =>
  error instanceof Overtaken || (error as NodeJS.ErrnoException | null)?.code === 'ENOENT'

/** The database's disk is full: trouble with storage too, though not with the vault's. */
function databaseFull(error: unknown): Refusal | undefined {
  return sqlState(error) === '53100' ? databaseTrouble(error) : undefined
}

function wording(error: unknown): unknown {
  if (wasOvertaken(error)) {
    return unavailable('the file is being changed by another program; try again', error)
  }
  return asRefusal(error) ?? error
}

/** Rows and temp files at once, then the proof, the last look and the rename. */
async function carryOut(
  tools: Tools,
  kernel: Kernel,
  staging: Staging,
  decision: Decision<unknown>,
): Promise<void> {
  await kernel.failpoint('before-temp')
  // Both are awaited to their end: a temp file must not appear after it was swept.
  const [temps, rows] = await Promise.allSettled([
    staging.writeTemps(kernel.failpoint),
    derive(kernel, decision),
  ])
  if (temps.status === 'rejected') throw temps.reason
  if (rows.status === 'rejected') throw rows.reason

  // Registering the files is the proof: it fails when the connection, and the lock with it, is gone.
  await registerStaged(kernel.db, staging)
  // The directory may have been moved away or unmounted since: what is here now is not the store. Right
  // before the rename, so that another program has no time between the look and it.
  await Promise.all([tools.assertPresent(), staging.checkTargets()])
  await kernel.failpoint('before-rename')
  await staging.moveIntoPlace(kernel.failpoint)
  await kernel.failpoint('before-commit')
}

/** The rows and the events that a decision brings. */
async function derive(
  kernel: Kernel,
  { rows, events = [], act }: Decision<unknown>,
): Promise<void> {
  await Promise.all([rows(kernel), recordAll(kernel, events)])
  await act?.(kernel)
}

/**
 * After the rename the write has happened, even if its transaction failed. Its rows are written again
 * until that succeeds or the database has been away for too long; then they are noted as owed (unindexed.ts).
 * Throws when the disk cannot make the write durable: such a write is not acknowledged.
 */
async function completeRows(
  tools: Tools,
  kernel: Kernel,
  paths: readonly string[],
  staging: Staging,
  decision: Decision<unknown>,
  cause: unknown,
): Promise<boolean> {
  kernel.log.warn({ err: cause, paths }, 'completing the rows of a written file')
  const deadline = performance.now() + COMPLETE_MS
  for (;;) {
    try {
      await inTransaction(kernel, async (kernel) => {
        await lockPaths(kernel.db, paths)
        await staging.rollForward()
        // A later write owns the rows that follow from the files; our own events are still to be recorded.
        if (!(await staging.stands())) return derive(kernel, { ...decision, rows: async () => {} })
        await derive(kernel, decision)
        await registerStaged(kernel.db, staging)
      })
      await staging.done()
      return true
    } catch (error) {
      if (performance.now() > deadline) {
        kernel.log.error({ err: error, paths }, 'the rows of a written file are owed')
        if (staging.durable) return await owe(tools, kernel, staging)
        tools.health.failed(storageTrouble(error)?.message ?? NOT_DURABLE)
        throw unavailable(NOT_DURABLE, error)
      }
      await sleep(100)
    }
  }
}

/** Whoever has the database back first pays: this process, another one, or the next start. */
async function owe({ disk }: Tools, { log }: Kernel, staging: Staging): Promise<false> {
  const paths = [...staging.puts.map(({ path }) => path), ...staging.removes]
  await oweRows(disk, paths).catch((error: unknown) =>
    log.error({ err: error, paths }, 'what is owed could not be noted; the next reconcile pays'),
  )
  return false
}

async function registerStaged(db: Db, staging: Staging): Promise<void> {
  for (const { path, hash, stamp } of staging.puts) {
    if (stamp) await registerFile(db, { path, hash, stamp })
  }
  for (const path of staging.removes) await forgetFile(db, path)
  if (staging.puts.length + staging.removes.length === 0) await sql`select 1`.execute(db)
}

/**
 * Advisory locks, held until the transaction ends, taken in one order by all writers. Returns the
 * database's time once they are held.
 */
export const lockPaths = (db: Db, paths: readonly string[]): Promise<Date> =>
  lockKeys(db, [...new Set(paths.map(lockKey))])

export async function lockKeys(db: Db, keys: readonly string[]): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`
    with held as materialized (
      select count(pg_advisory_xact_lock(key))
      from (select key from unnest(${keys}::bigint[]) as key order by key offset 0) as sorted
    )
    select loam_now() as now from held`.execute(db)
  return rows[0]!.now
}

function filesUnderLock(kernel: Kernel, disk: Disk, staging: Staging, now: Date): Files {
  const looks = new Map<string, Promise<unknown>>()
  return {
    nextTime: (previous) => (previous && previous >= now ? new Date(previous.getTime() + 1) : now),
    async read(path) {
      const file = await readFresh(kernel.db, disk, path)
      staging.saw(path, { stamp: file?.stamp, hash: file?.hash })
      return file
    },
    put: (path, bytes) => staging.put(path, bytes),
    remove: (path) => staging.remove(path),
    once<T>(key: string, look: () => Promise<T>) {
      const before = looks.get(key) as Promise<T> | undefined
      const found = before ?? look()
      looks.set(key, found)
      return found
    },
  }
}

type Fresh = FileBytes & { stamp: NonNullable<Awaited<ReturnType<typeof readAt>>>['stamp'] }

/**
 * The file as it is, not as a network file system remembers it: bytes that do not hash to what was
 * registered are read again for a second before they are taken for an external edit.
 */
async function readFresh(db: Db, disk: Disk, path: string): Promise<Fresh | undefined> {
  const deadline = performance.now() + STALE_MS
  for (;;) {
    const file = await readAt(disk, path)
    const hash = file && contentHash(file.bytes)
    if (!disk.shared || hash === (await registeredHash(db, path)) || performance.now() > deadline) {
      return file && { path, ...file, hash: hash ?? '' }
    }
    await sleep(50)
  }
}

async function registeredHash(db: Db, path: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('files')
    .select('content_hash')
    .where('path', '=', path)
    .executeTakeFirst()
  return row?.content_hash
}
