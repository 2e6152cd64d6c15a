import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'

/** For a timer: what is kept by day and hour is counted anew when the configuration names another zone. */
export async function keepOwnerZone({ db, config }: Kernel): Promise<void> {
  const zone = config.console.timezone || new Intl.DateTimeFormat().resolvedOptions().timeZone
  await sql`select rebuild_shown(${zone}) where owner_zone() <> ${zone}`.execute(db)
}

/** Counts anew, from the log, what is kept of knowledge at work. An import brings the log before its items. */
export async function rebuildShown({ db }: Kernel): Promise<void> {
  await sql`select rebuild_shown()`.execute(db)
}
