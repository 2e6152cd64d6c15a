import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'

/** Events, and changes of memories, that the statistics take in at once: well under 100 ms on the embedded database. */
const AT_ONCE = 60
/** More wait for nobody: whoever asks for counts has them told first, and waits for that. */
const MOST_UNTOLD = 400
/** Beside calls there is rest for so many times as long as the telling took: most of the time is theirs. */
const REST = 2
const LONGEST_REST_MS = 500

/**
 * Tells the statistics of every event and every change of a memory that was committed before; nobody else is left in
 * the middle of it. Returns whether there was anything to tell.
 */
export async function tellStatistics(db: Db): Promise<boolean> {
  let any = false
  for (;;) {
    const { told, more } = await tellSome(db)
    any ||= told > 0
    if (!more) return any
  }
}

/** For a timer: tells them while nobody waits for an answer, and beside calls when more than some are untold. */
export async function tellInGaps({ db, pace }: Pick<Kernel, 'db' | 'pace'>): Promise<void> {
  for (;;) {
    const beside = pace.isAnswering
    if (beside && (await untold(db)) <= MOST_UNTOLD) return
    const beganMs = performance.now()
    const { more } = await tellSome(db)
    if (!more) return
    const restMs = Math.min(REST * (performance.now() - beganMs), LONGEST_REST_MS)
    if (beside) await sleep(restMs, undefined, { ref: false })
  }
}

/** Of how many writes the statistics were told, and whether any are left. */
async function tellSome(db: Db): Promise<{ told: number; more: boolean }> {
  const { rows } = await sql<{ told: number; more: boolean }>`
    select told, more from tell_next(${AT_ONCE})`.execute(db)
  return rows[0]!
}

async function untold(db: Db): Promise<number> {
  const { rows } = await sql<{ untold: number }>`
    select coalesce(sum(cardinality(ids)), 0)::float8 as untold
    from (select ids from untold union all select ids from untold_memories) waiting`.execute(db)
  return rows[0]!.untold
}
