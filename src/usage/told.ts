import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'

/** Events, and changes of memories, that the statistics take in at once: well under 100 ms on the embedded database. */
const AT_ONCE = 200

/**
 * Tells the statistics of every event and every change of a memory that was committed before; nobody else is left in
 * the middle of it.
 */
export async function tellStatistics(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ inserts: number }>`
      select tell_events(${AT_ONCE}) as inserts`.execute(db)
    if (rows[0]?.inserts === 0) return
  }
}
