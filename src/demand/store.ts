import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'
import { inTransaction } from '../kernel/transaction.ts'

/** Counts all demand anew from the log. The numbers stay what they were. */
export async function rebuildDemand(kernel: Kernel): Promise<void> {
  await inTransaction(kernel, ({ db }) => sql`select rebuild_demand()`.execute(db))
}
