import { BOUNDED } from './connection.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { sqlState } from '../kernel/sql-state.ts'

/** Deadlock and serialization failure: nothing was done, and a second try may pass. */
const TRY_AGAIN = new Set(['40P01', '40001'])
const TRIES = 3

/**
 * Runs `work` in one transaction, or joins the one already open.
 *
 * The kernel handed to `work` writes through the transaction. Shadow the outer name with it, and a
 * stray write outside the transaction cannot be typed. `work` may run up to three times (a deadlock
 * undoes all of it), so it awaits only the database and the vault, never the network, and touches
 * nothing else. Waits are bounded: 3 s for a lock, 5 s for a statement.
 */
export async function inTransaction<K extends Kernel, T>(
  kernel: K,
  work: (kernel: K) => Promise<T>,
): Promise<T> {
  if (kernel.db.isTransaction) return work(kernel)
  for (let attempt = 1; ; attempt++) {
    try {
      return await kernel.db
        .transaction()
        .setIsolationLevel(BOUNDED)
        .execute((db) => work({ ...kernel, db }))
    } catch (error) {
      if (attempt === TRIES || !TRY_AGAIN.has(sqlState(error))) throw error
    }
  }
}
