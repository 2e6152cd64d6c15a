import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'

/** Events, and changes of memories, that the statistics take in at once: well under 100 ms on the embedded database. */
const AT_ONCE = 200

/**
 * Tells the statistics of every event and every change of a memory that was committed before; nobody else is left in
 * the middle of it. Returns whether there was anything to tell.
 */
export async function tellStatistics(db: Db): Promise<boolean> {
  let any = false
  for (;;) {
    const { rows } = await sql<{ told: number; more: boolean }>`
      select told, more from tell_next(${AT_ONCE})`.execute(db)
    const { told, more } = rows[0]!
    any ||= told > 0
    if (!more) return any
  }
}
