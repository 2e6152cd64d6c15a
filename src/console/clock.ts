/** The clock by which pages count ages: the store's own, by which everything that they show was written. */
import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'

export interface PageClock {
  /** In milliseconds since 1970, as of the last look and the time that has passed since. */
  now(): number
  /** Looks at the database's clock. Without an answer the last one goes on: the page itself says what is amiss. */
  look(): Promise<void>
}

export function pageClock(kernel: Kernel): PageClock {
  // The machine's clock may be set at any moment; the time that has passed is not touched by it.
  let ahead = Date.now() - performance.now()
  return {
    now: () => ahead + performance.now(),
    async look() {
      const asked = sql<{ now: Date }>`select loam_now() as now`.execute(kernel.db)
      const found = await asked.catch(() => undefined)
      if (found) ahead = found.rows[0]!.now.getTime() - performance.now()
    },
  }
}
