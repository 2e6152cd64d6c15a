import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'

/** Counts all demand anew from the log, in one statement. The numbers stay what they were. */
export async function rebuildDemand({ db }: Kernel): Promise<void> {
  await sql`select rebuild_demand()`.execute(db)
}
