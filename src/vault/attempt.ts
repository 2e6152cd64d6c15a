/**
 * One transaction that carries out one write or several: files and rows, each decided by its rename.
 *
 * The order: lock the paths in the database; read inside the locks; let the rooms decide; write their
 * rows and, meanwhile, the temp files with their fsync; prove on the same connection that the locks
 * are still ours; look at the targets once more; rename; fsync the directories; commit.
 *
 * An advisory lock does not protect a file system: when the backend dies during the fsync, another
 * writer takes the lock, writes and is acknowledged. Hence the proof right before the renames.
 */
import { sql } from 'kysely'
import type { Db, Decision, Kernel } from '../kernel/kernel.ts'
import { sqlState } from '../kernel/sql-state.ts'
import { databaseTrouble } from '../kernel/trouble.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { completeRows, derive, registerStaged, type Decided, type Tools } from './complete.ts'
import { syncDirectory } from './disk.ts'
import { lockKeys, tryLocks } from './locks.ts'
import { lockKey } from './paths.ts'
import type { Decide, Written } from './shared.ts'
import { Staging } from './staging.ts'
import { filesUnderLock } from './under-lock.ts'

/** A write as it waits for its turn. */
export interface Asked {
  kernel: Kernel
  paths: readonly string[]
  decide: Decide<unknown>
  /** Asks the transaction what the decision has to know. */
  ahead?: ((db: Db) => Promise<unknown>) | undefined
  /** Asks the transaction what the decision need not know. */
  beside?: ((db: Db) => void) | undefined
}

/** Another process holds a path of the write. */
export const HELD = Symbol('held')

/** What became of one write of an attempt. */
export type Outcome =
  | { written: Written<unknown> }
  /** Its own decision failed. */
  | { error: unknown }
  /** Nothing of it was done, because the transaction failed, maybe by another's fault. */
  | { undone: unknown }
  | typeof HELD

/** How the locks are taken: by waiting for whoever holds them, or without those that are held. */
export type Locking = 'wait' | 'try'

/** A write under way. */
interface Part extends Asked {
  staging: Staging
  decision?: Decision<unknown> | undefined
  /** Known before the transaction has ended. */
  outcome?: { error: unknown } | typeof HELD | undefined
}

/**
 * Carries writes out in one transaction. Never rejects: each has an outcome of its own.
 *
 * @param join is asked for more of them when the turn of the transaction has come
 */
export async function attempt(
  tools: Tools,
  [first, ...more]: readonly [Asked, ...Asked[]],
  locking: Locking,
  join?: () => readonly Asked[],
): Promise<Outcome[]> {
  const parts = [first, ...more].map((write) => partOf(tools, write))
  const gather = async (db: Db): Promise<void> => {
    if (!join) return
    // The transaction begins with its first statement, and may have waited long for that.
    await sql`select 1`.execute(db)
    parts.push(...join().map((write) => partOf(tools, write)))
    join = undefined
  }
  const failure = await carryOutAll(tools, first.kernel, { parts, gather, locking }).then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  return Promise.all(parts.map((part) => outcomeOf(tools, part, failure)))
}

const partOf = ({ disk }: Tools, write: Asked): Part => ({ ...write, staging: new Staging(disk) })

interface Parts {
  parts: readonly Part[]
  gather(db: Db): Promise<void>
  locking: Locking
}

async function carryOutAll(tools: Tools, kernel: Kernel, { parts, gather, locking }: Parts) {
  await inTransaction(kernel, async (kernel) => {
    await gather(kernel.db)
    for (const part of parts) {
      // A deadlock before the decision runs this again, on a clean staging.
      await part.staging.discard()
      const clean = { staging: new Staging(tools.disk), decision: undefined, outcome: undefined }
      Object.assign(part, clean)
    }
    const locked = lock(kernel.db, parts, locking)
    const known = askAhead(kernel.db, parts)
    const [now] = await Promise.all([locked, tools.assertPresent()])
    const under = { now, roots: new Map<string, Promise<void>>() }
    await whole(parts, (part) =>
      decide(tools, kernel.db, part, { ...under, known: known.get(part) }),
    )
    const decided = parts.filter(isDecided)
    // What was decided against is rolled back, with whatever its decision has written.
    if (decided.length === 0) throw new Error('nothing is to be written')
    await carryOut(tools, kernel, decided)
  })
}

const isDecided = (part: Part): part is Part & Decided =>
  part.decision !== undefined && part.outcome === undefined

/** Waits for all of them to end, whatever becomes of one: a temp file must not appear after it was swept. */
async function whole<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const ended = await Promise.allSettled(all.map(work))
  const failed = ended.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
}

/** Takes the locks of all; returns the database's time once they are held. */
async function lock(db: Db, parts: readonly Part[], locking: Locking): Promise<Date> {
  const keys = parts.map(({ paths }) => paths.map(lockKey))
  const all = [...new Set(keys.flat())]
  if (locking === 'wait') return lockKeys(db, all)
  const { now, held } = await tryLocks(db, all)
  for (const [at, part] of parts.entries()) {
    if (!keys[at]!.every((key) => held.has(key))) part.outcome = HELD
  }
  return now
}

/**
 * Asks behind the locks: a connection answers in order, and so after they are held. A write that does not get its locks
 * makes no use of the answer, and an error has that of the locks before it.
 */
function askAhead(db: Db, parts: readonly Part[]): Map<Part, Promise<unknown> | undefined> {
  const known = new Map(parts.map((part) => [part, part.ahead?.(db)]))
  for (const answer of known.values()) answer?.catch(() => {})
  // Last, so that it is answered while the decisions are made.
  for (const { beside } of parts) beside?.(db)
  return known
}

/** What is known once the locks are held. */
interface Under {
  now: Date
  roots: Map<string, Promise<void>>
  known: Promise<unknown> | undefined
}

/** A decision that fails concerns its own write alone, unless the transaction has failed with it. */
async function decide(
  { disk, folders }: Tools,
  db: Db,
  part: Part,
  { now, roots, known }: Under,
): Promise<void> {
  if (part.outcome) return
  const kernel = { ...part.kernel, db }
  try {
    // One look at each folder, and then all decide in the same turn: what they ask becomes one statement.
    for (const path of part.paths) {
      const root = path.slice(0, path.indexOf('/'))
      const there = roots.get(root) ?? folders.assertThere(db, [path])
      roots.set(root, there)
      await there
    }
    const files = filesUnderLock(kernel, disk, part.staging, now)
    part.decision = await part.decide(kernel, files, await known)
  } catch (error) {
    if (sqlState(error) !== '' || databaseTrouble(error)) throw error
    part.outcome = { error }
  }
}

/** Rows and temp files at once, the proof behind both, then the last look and the renames. */
async function carryOut(
  tools: Tools,
  kernel: Kernel,
  decided: readonly (Part & Decided)[],
): Promise<void> {
  const each = (work: (part: Part & Decided) => Promise<unknown> | unknown) =>
    whole(decided, async (part) => work(part))
  await each(({ kernel }) => kernel.failpoint('before-temp'))
  const temps = each(({ kernel, staging }) => staging.writeTemps(kernel.failpoint))
  const rows = derive(kernel, decided)
  // Registering the files is the proof: it fails when the connection, and the locks with it, is gone. It is asked once
  // they are durable, and does not wait for the rows to be answered.
  const proof = temps.then(() =>
    registerStaged(
      kernel.db,
      decided.map(({ staging }) => staging),
    ),
  )
  // All are awaited to their end. A failure of the rows fails what is asked behind them, and says more.
  await whole([temps, rows, proof], (one) => one)

  // The directory may have been moved away or unmounted since: what is here now is not the store. Right
  // before the renames, so that another program has no time between the look and them.
  await Promise.all([tools.assertPresent(), each(({ staging }) => staging.checkTargets())])
  await each(({ kernel }) => kernel.failpoint('before-rename'))
  await each(({ kernel, staging }) => staging.moveIntoPlace(kernel.failpoint))
  const synced = new Map<string, Promise<void>>()
  const sync = (directory: string): Promise<void> => {
    const once = synced.get(directory) ?? syncDirectory(tools.disk, directory)
    synced.set(directory, once)
    return once
  }
  await each(({ kernel, staging }) => staging.makeDurable(sync, kernel.failpoint))
  await each(({ kernel }) => kernel.failpoint('before-commit'))
}

/** What became of one write, once the transaction has ended. What its rename has decided is completed. */
async function outcomeOf(
  tools: Tools,
  part: Part,
  failure: { error: unknown } | undefined,
): Promise<Outcome> {
  const { staging, decision, outcome, kernel } = part
  if (outcome || !decision) {
    await staging.discard()
    return outcome ?? { undone: failure?.error }
  }
  try {
    if (failure) throw failure.error
    await staging.done()
    if (staging.puts.length > 0) tools.health.fine()
    await kernel.failpoint('after-commit')
    return { written: { result: decision.result, indexed: true } }
  } catch (error) {
    if (!failure || staging.decided) return complete(tools, { ...part, decision }, error)
    await staging.discard()
    return { undone: error }
  }
}

async function complete(tools: Tools, decided: Decided, cause: unknown): Promise<Outcome> {
  try {
    const indexed = await completeRows(tools, decided, cause)
    return { written: { result: decided.decision.result, indexed } }
  } catch (error) {
    return { error }
  }
}
