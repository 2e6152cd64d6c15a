import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'
import { tellStatistics } from './told.ts'

/** For a timer: what is kept by day and hour is counted anew when the configuration names another zone. */
export async function keepOwnerZone({ db, config }: Kernel): Promise<void> {
  const zone = config.console.timezone || new Intl.DateTimeFormat().resolvedOptions().timeZone
  const { rows } = await sql<{ zone: string }>`select owner_zone() as zone`.execute(db)
  if (rows[0]!.zone === zone) return
  await tellStatistics(db)
  await sql`select rebuild_shown(${zone}) where owner_zone() <> ${zone}`.execute(db)
}

/** For a timer: forgets the hours and days in which no window begins any more, and folds the days that are over. */
export async function tidyShown({ db }: Kernel): Promise<void> {
  await sql`select tidy_shown()`.execute(db)
}

/** Counts anew, from the log, what is kept of knowledge at work. An import brings the log before its items. */
export async function rebuildShown({ db }: Kernel): Promise<void> {
  // In many short statements, where one would be long.
  await tellStatistics(db)
  await sql`select rebuild_shown()`.execute(db)
}
