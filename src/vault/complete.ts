/** The rows of a write: made with its files, and made again when their transaction was lost after the rename. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { recordAll } from '../kernel/events.ts'
import type { Disk } from '../kernel/files.ts'
import type { Db, Decision, Kernel } from '../kernel/kernel.ts'
import { unavailable } from '../kernel/refusal.ts'
import { storageTrouble } from '../kernel/trouble.ts'
import { inTransaction } from '../postgres/transaction.ts'
import type { Folders } from './folders.ts'
import type { StorageHealth } from './health.ts'
import { lockPaths } from './locks.ts'
import { forgetFiles, registerFiles, type Registration } from './register.ts'
import type { Staging } from './staging.ts'
import { oweRows } from './unindexed.ts'

/** How long rows are completed after the rename before the answer says `indexed: false`. */
const COMPLETE_MS = 5_000
const NOT_DURABLE =
  'storage failed while the change was being made; read the item again before you repeat it'

/** What every write needs. */
export interface Tools {
  disk: Disk
  health: StorageHealth
  folders: Folders
  assertPresent(): Promise<void>
  /** How many connections writes may hold at once. */
  writers: number
  /** One transaction waits for the end of another, as on the embedded database. */
  inTurns: boolean
}

/** A write that was decided, and its files. */
export interface Decided {
  kernel: Kernel
  paths: readonly string[]
  staging: Staging
  decision: Decision<unknown>
}

/** The rows and the events that decisions bring. The events of all are one statement. */
export async function derive(
  kernel: Kernel,
  decided: readonly Pick<Decided, 'kernel' | 'decision'>[],
): Promise<void> {
  const { db } = kernel
  await Promise.all([
    ...decided.map(({ kernel, decision }) => decision.rows({ ...kernel, db })),
    recordAll(
      kernel,
      decided.flatMap(({ decision: { events = [] } }) => events),
    ),
  ])
  for (const { kernel, decision } of decided) await decision.act?.({ ...kernel, db })
}

/**
 * After the rename the write has happened, even if its transaction failed. Its rows are written again
 * until that succeeds or the database has been away for too long; then they are noted as owed (unindexed.ts).
 * Throws when the disk cannot make the write durable: such a write is not acknowledged.
 */
export async function completeRows(
  tools: Tools,
  { kernel, paths, staging, decision }: Decided,
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
        const stands = await staging.stands()
        const left = stands ? decision : { ...decision, rows: async () => {} }
        await derive(kernel, [{ kernel, decision: left }])
        if (stands) await registerStaged(kernel.db, [staging])
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

/** Says in the register what the files are from now on. A statement is sent in any case, and tells whether the locks stand. */
export async function registerStaged(db: Db, stagings: readonly Staging[]): Promise<void> {
  const puts = stagings.flatMap(({ puts }) =>
    puts.flatMap(({ path, hash, stamp }): Registration[] => (stamp ? [{ path, hash, stamp }] : [])),
  )
  const removes = stagings.flatMap(({ removes }) => removes)
  if (puts.length > 0) await registerFiles(db, puts)
  if (removes.length > 0) await forgetFiles(db, removes)
  if (puts.length + removes.length === 0) await sql`select 1`.execute(db)
}
