import { sql } from 'kysely'
import type { Kernel } from '../kernel/kernel.ts'
import { tellStatistics } from './told.ts'

/** For a timer: what is kept by day and hour is counted anew when the configuration names another zone. */
export async function keepOwnerZone({ db, config }: Kernel): Promise<void> {
  const zone = zoneFor(config.console.timezone)
  const { rows } = await sql<{ zone: string }>`select owner_zone() as zone`.execute(db)
  if (rows[0]!.zone === zone) return
  await tellStatistics(db)
  await sql`select rebuild_shown(${zone}) where owner_zone() <> ${zone}`.execute(db)
}

/**
 * The zone of the configuration, or else this machine's, in words that PostgreSQL knows. It reads a bare offset the other
 * way round, as POSIX has it. A machine whose zone has no name has an offset all the same.
 */
function zoneFor(configured: string): string {
  const name = configured || new Intl.DateTimeFormat().resolvedOptions().timeZone || NAMELESS
  if (name === NAMELESS) return fromOffset(-new Date().getTimezoneOffset())
  const offset = /^([+-])(\d\d):?(\d\d)?$/.exec(name)
  if (!offset) return name
  const [, sign, hours, minutes = 0] = offset
  return fromOffset((60 * Number(hours) + Number(minutes)) * (sign === '-' ? -1 : 1))
}

/** Where `TZ` is set and empty. */
const NAMELESS = 'Etc/Unknown'

/** @param minutes east of Greenwich */
function fromOffset(minutes: number): string {
  if (minutes === 0) return 'UTC'
  const two = (part: number): string => String(Math.floor(part)).padStart(2, '0')
  const size = `${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`
  const [east, west] = minutes > 0 ? ['+', '-'] : ['-', '+']
  return `<${east}${size}>${west}${size}`
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
