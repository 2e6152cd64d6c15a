import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'

/** For a timer: drops the counts of five minutes that no page asks for any more. */
export async function forgetPulse({ db }: Kernel): Promise<void> {
  await db
    .deleteFrom('pulse')
    .where('since', '<', sql<Date>`loam_now() - interval '2 hours'`)
    .execute()
}
