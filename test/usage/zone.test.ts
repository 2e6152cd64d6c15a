import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { keepOwnerZone } from '../../src/usage/usage.ts'
import { openHouse, type House } from '../helpers/house.ts'

afterEach(() => void vi.restoreAllMocks())

/** The hour that the figures of days take a moment to be in. */
async function hourOf({ app }: House): Promise<string> {
  await keepOwnerZone(app.kernel)
  const { rows } = await sql<{ hour: string }>`
    select to_char('2026-07-01T22:15:00Z'::timestamptz at time zone owner_zone(), 'YYYY-MM-DD HH24:MI') as hour`.execute(
    app.kernel.db,
  )
  return rows[0]!.hour
}

test.each(['Europe/Berlin', 'Europe/Kyiv', '+02:00', '+0530', '-03', '-0930', '+00:00'])(
  'days begin where the pages have them begin, in the zone %s',
  async (timezone) => {
    await using house = await openHouse({ env: { LOAM_CONSOLE_TIMEZONE: timezone } })
    const shown = new Intl.DateTimeFormat('sv-SE', {
      ...{ timeZone: timezone, dateStyle: 'short', timeStyle: 'short' },
    }).format(new Date('2026-07-01T22:15:00Z'))
    expect(await hourOf(house)).toBe(shown)
  },
)

test.each(['Etc/Unknown', undefined])(
  'a machine whose zone has no name (%s) keeps days by its offset',
  async (timeZone) => {
    await using house = await openHouse()
    const { resolvedOptions } = Intl.DateTimeFormat.prototype
    vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockImplementation(function (
      this: Intl.DateTimeFormat,
    ) {
      return { ...resolvedOptions.call(this), timeZone: timeZone as string }
    })
    vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(210)
    expect(await hourOf(house)).toBe('2026-07-01 18:45')
  },
)
