import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'
import { inTransaction } from '../postgres/transaction.ts'

/** Counts anew how many sessions each project has, and their tokens. For rows that came from elsewhere. */
export function recountSessions(kernel: Kernel): Promise<void> {
  return inTransaction(kernel, async ({ db }) => {
    await sql`lock table sessions in share row exclusive mode`.execute(db)
    await sql`select recount_sessions()`.execute(db)
  })
}
