import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findSetting, putSetting } from '../../src/kernel/settings.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { moments, switchOff, switchOn } from '../helpers/moments.ts'
import { addStep, moveStep } from '../helpers/plans.ts'
import { add, worker } from '../tasks/given.ts'
import { ownerOf } from './owner.ts'

const ON = { LOAM_FEATURES_MOMENTUM: 'true', LOAM_CONSOLE_TIMEZONE: 'UTC' }

const json = async (house: House, path: string): Promise<any> =>
  (await ownerOf(house).json(path)).body

describe('moments', () => {
  test('are told among what happened last, and no more while momentum is off', async () => {
    await using house = await openHouse()
    await house.session('atlas')
    await switchOn(house, 'momentum')
    await moveStep(house, await addStep(house, 'p'), 'done')
    await moments(house, 'plan.shipped')
    const [milestone] = await moments(house, 'milestone.reached')
    const told = async (): Promise<string[]> => {
      const { recent } = await json(house, '/console/')
      const { wire } = await json(house, '/console/now')
      return [...recent, ...wire].map(({ kind }: any) => kind)
    }
    expect(await told()).toEqual(expect.arrayContaining(['plan.shipped', 'milestone.reached']))
    const page = await ownerOf(house).get('/console/')
    expect(page.text).toContain('the first shipped plan of atlas: p')
    expect(page.text).toContain('class="glyph glyph--moment"')

    await switchOff(house, 'momentum')
    const kinds = await told()
    expect(kinds).not.toContain('plan.shipped')
    expect(kinds).not.toContain('milestone.reached')
    expect(kinds).toContain('task.transition')
    // What was minted stays in the log.
    const { event } = await json(house, `/console/events/${milestone!.id}`)
    expect(event.summary).toBe('the first shipped plan of atlas: p')
  })
})

/** A plan of so many steps, the first of them done. */
async function planOf(house: House, plan: string, steps: number, done: number): Promise<string[]> {
  const alice = await worker(house)
  const ids: string[] = []
  for (let n = 1; n <= steps; n++) ids.push(await add(alice, `${plan} ${n}`, { plan }))
  for (const id of ids.slice(0, done)) await alice.call('tasks_update', { id, status: 'done' })
  return ids
}

describe('plans near their end', () => {
  test('stand on the overview with what is left of them, from four fifths on', async () => {
    await using house = await openHouse()
    await planOf(house, 'three-of-four', 4, 3)
    const [, , , , last] = await planOf(house, 'four-of-five', 5, 4)
    const all = await planOf(house, 'eight-of-ten', 10, 8)
    await planOf(house, 'over', 2, 2)
    const nearOnes = async () =>
      (await json(house, '/console/')).attention.filter(({ sev }: any) => sev === 'ok')
    expect(await nearOnes()).toEqual([])
    const off = (await ownerOf(house).get('/console/')).text
    expect(off).not.toContain('from shipped')
    expect(off).not.toContain('id="near"')

    await switchOn(house, 'momentum')
    expect(await nearOnes()).toMatchObject([
      {
        ...{ id: 'near-atlas-four-of-five', kind: 'near', icon: 'done', title: 'four-of-five' },
        ...{ strong: 'one step from shipped', sub: 'four-of-five 5', done: 4, steps: 5 },
        left: [{ id: last, title: 'four-of-five 5' }],
        href: '/console/plans/four-of-five?project=atlas',
      },
      {
        ...{ strong: '2 steps from shipped', sub: 'eight-of-ten 9 · eight-of-ten 10' },
        left: [{ id: all[8] }, { id: all[9] }],
      },
    ])
    const { text } = await ownerOf(house).get('/console/')
    expect(text).toContain('One step from shipped')
    expect(text).toContain('aria-label="4 of 5 steps closed"')
    // Good news asks for nothing.
    expect(text).toContain('Nothing needs you')
  })
})

describe('the memory of the month', () => {
  test('is the one that agents asked for most within 30 days, whatever the window', async () => {
    await using house = await openHouse()
    await switchOn(house, 'momentum')
    const spotlight = async () => (await json(house, '/console/?w=24h')).spotlight
    expect(await spotlight()).toEqual({ found: false })
    await house.moveClock('-40 days')
    const [alice, bob] = [await house.inside('atlas'), await house.inside('atlas')]
    const ids: Record<string, string> = {}
    for (const name of ['old', 'ebb', 'flow']) {
      const fact = { name, kind: 'gotcha', description: `About ${name}`, body: 'B' }
      ids[name] = (await alice.call('memory_write', fact)).id
    }
    for (const reader of [alice, bob, await house.inside('atlas')]) {
      await reader.call('memory_read', { name: 'old' })
    }
    // What was read is recorded with the next batch.
    await house.app.kernel.telemetry.flush()
    await house.moveClock('-2 days')
    // Of one session it counts once, and to be told without having asked counts nothing.
    for (let n = 0; n < 5; n++) await bob.call('memory_read', { name: 'flow' })
    for (const reader of [bob, await house.inside('atlas')]) {
      await reader.call('memory_read', { name: 'ebb' })
    }
    await house.app.kernel.telemetry.flush()
    await house.moveClock('0')
    expect(await spotlight()).toEqual({
      found: true,
      memory: {
        ...{ itemId: ids['ebb'], name: 'ebb', kind: 'gotcha', project: 'atlas' },
        ...{ utility: 0.58, reads: 2, readers: 2, injects: 0 },
      },
      line: '2 reads · 2 sessions · last 30 days',
    })
    const { text } = await ownerOf(house).get('/console/')
    expect(text).toContain('About ebb')

    await alice.call('memory_delete', { name: 'ebb' })
    expect(await spotlight()).toMatchObject({ memory: { name: 'flow', reads: 5, readers: 1 } })
    await switchOff(house, 'momentum')
    expect(await json(house, '/console/')).not.toHaveProperty('spotlight')
    expect((await ownerOf(house).get('/console/')).text).not.toContain('Memory of the month')
  })
})

/** A session that began so long ago, and what it left. */
async function began(house: House, ago: string, kept = true): Promise<string> {
  const id = await house.session('atlas')
  const { db } = house.app.database
  const at = sql<Date>`loam_now() - ${ago}::interval`
  const set = (values: object) =>
    db.updateTable('sessions').set(values).where('id', '=', id).execute()
  await set({ created_at: at, findings: 'It turns at six.' })
  if (!kept) await set({ findings: '' })
  return id
}

describe('the calendar of sessions', () => {
  const streak = async (house: House) => (await json(house, '/console/sessions')).captureStreak

  test('counts days in a row that left something, and the most there ever were', async () => {
    await using house = await openHouse({ env: ON })
    expect(await streak(house)).toEqual({ current: 0, longest: 0 })
    for (const days of [1, 2, 3, 10, 11, 12, 13]) await began(house, `${days} days`)
    // Today breaks nothing while it lasts, and a session that left nothing carries nothing on.
    expect(await streak(house)).toEqual({ current: 3, longest: 4 })
    await began(house, '0', false)
    await began(house, '4 days', false)
    expect(await streak(house)).toEqual({ current: 3, longest: 4 })
    await began(house, '0')
    await began(house, '4 days')
    expect(await streak(house)).toEqual({ current: 5, longest: 5 })
    await house.moveClock('1 day')
    expect(await streak(house)).toEqual({ current: 5, longest: 5 })
    await house.moveClock('2 days')
    expect(await streak(house)).toEqual({ current: 0, longest: 5 })
  })

  test('remembers the longest of years before, whatever its row says', async () => {
    await using house = await openHouse({ env: ON })
    for (let day = 800; day < 809; day++) await began(house, `${day} days`)
    await began(house, '1 day')
    expect(await streak(house)).toEqual({ current: 1, longest: 9 })
    const { db } = house.app.database
    const kept = await findSetting(db, 'momentum_capture_streak')
    expect(kept).toMatchObject({ longest: 9, run: 0 })
    for (const odd of [7, { longest: 3 }, { ...Object(kept), through: '2999-01-01', longest: 1 }]) {
      await putSetting(db, 'momentum_capture_streak', odd)
      expect(await streak(house), JSON.stringify(odd)).toEqual({ current: 1, longest: 9 })
    }
    // A day later one day more is behind the calendar, and the rest is not read again.
    await sql`delete from session_kept where created_at < loam_now() - interval '700 days'`.execute(
      db,
    )
    await house.moveClock('8 days')
    expect(await streak(house)).toEqual({ current: 0, longest: 9 })
  })

  test('goes by the days of the owner’s zone', async () => {
    for (const [zone, expected] of [
      ['UTC', { current: 1, longest: 1 }],
      ['Pacific/Kiritimati', { current: 2, longest: 2 }],
    ] as const) {
      await using house = await openHouse({ env: { ...ON, LOAM_CONSOLE_TIMEZONE: zone } })
      const { db } = house.app.database
      const ownZone = sql<{ zone: string }>`select owner_zone() as zone`
      await expect.poll(async () => (await ownZone.execute(db)).rows[0]!.zone).toBe(zone)
      await sql`update clock set shift = date_trunc('day', loam_now()) + interval '13 hours' - loam_now()`.execute(
        db,
      )
      // 9 and 11 o'clock in UTC; behind them lies midnight in the middle of the Pacific.
      for (const ago of ['2 hours', '4 hours']) await began(house, ago)
      expect(await streak(house), zone).toEqual(expected)
    }
  })

  test('shows a year week by week, stronger the more began, and leads to the sessions of a day', async () => {
    await using house = await openHouse({ env: ON })
    const today = new Date().toISOString().slice(0, 10)
    for (let n = 0; n < 8; n++) await began(house, '0', n === 0)
    const old = [await began(house, '90 days', false), await began(house, '90 days', false)]
    const { text = '' } = await ownerOf(house).get('/console/sessions')
    const days = text.match(/<(?:a|span) class="day[" ]/g) ?? []
    expect(days.length).toBeGreaterThanOrEqual(365)
    expect(days.length).toBeLessThanOrEqual(371)
    const links = [...text.matchAll(/<a class="day ([^"]+)" href="([^"]+)" title="([^"]+)"/g)]
    expect(links.map(([, look]) => look)).toEqual(['day--1', 'day--4 day--kept'])
    expect(links.map(([, , , title]) => title)).toEqual([
      expect.stringMatching(/: 2 sessions, nothing kept$/),
      expect.stringMatching(/: 8 sessions, something kept$/),
    ])
    expect(links[1]![2]).toBe(`/console/sessions?day=${today}`)

    const of = await json(house, links[0]![2]!)
    expect(of).toMatchObject({ day: links[0]![2]!.slice(-10), total: 10 })
    expect(of.sessions.map(({ id }: any) => id).toSorted()).toEqual(old.toSorted())
    const page = await ownerOf(house).get(links[0]![2]!)
    expect(page.text).toMatch(/class="day day--1"[^>]* aria-current="date"/)
    expect(page.text).toMatch(/href="\/console\/sessions"[^>]*>[^<]*Day: \d/)
    expect(page.text).not.toContain('id="menu-w"')
    // A day leaves the window aside, and no other filter.
    expect((await json(house, `${links[0]![2]!}&w=24h`)).sessions).toHaveLength(2)
    expect((await json(house, `${links[0]![2]!}&retained=yes`)).sessions).toEqual([])
  })

  test('has a flame from seven days in a row on', async () => {
    await using house = await openHouse({ env: ON })
    for (let day = 1; day < 7; day++) await began(house, `${day} days`)
    const page = async () => (await ownerOf(house).get('/console/sessions')).text
    expect(await page()).not.toContain('class="flame"')
    await began(house, '0')
    expect(await page()).toContain('class="flame"')
  })

  test('shows up to a thousand sessions of a day at once', async () => {
    await using house = await openHouse({ env: ON })
    const { db } = house.app.database
    await sql`insert into sessions (id, name, project)
      select 'S' || lpad(n::text, 25, '0'), 'session ' || n, 'atlas' from generate_series(1, 1003) n`.execute(
      db,
    )
    const day = new Date().toISOString().slice(0, 10)
    const { sessions, more } = await json(house, `/console/sessions?day=${day}`)
    expect([sessions.length, more]).toEqual([1_000, 3])
    expect((await json(house, `/console/sessions?day=${day}&page=2`)).sessions).toHaveLength(3)
  })

  test.each(['yesterday', '2026-02-30', '2026-1-1', '2026-01-01T00:00Z'])(
    'refuses the day %s, and says what a day is',
    async (day) => {
      await using house = await openHouse({ env: ON })
      const { status, body } = await ownerOf(house).json(`/console/sessions?day=${day}`)
      expect([status, body.error]).toEqual([
        400,
        `invalid day "${day}": valid values are days such as 2026-03-31`,
      ])
    },
  )

  test('is not there while momentum is off, and a day changes nothing', async () => {
    await using house = await openHouse()
    await began(house, '3 days')
    await house.session('atlas')
    const path = '/console/sessions?day=2026-01-01'
    const body = await json(house, path)
    expect(body.sessions).toHaveLength(2)
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['day']))
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['captureStreak']))
    const [plain, asked] = [
      await ownerOf(house).get('/console/sessions'),
      await ownerOf(house).get(path),
    ]
    expect(asked.text!.replaceAll(/day=2026-01-01&amp;/g, '')).toBe(plain.text)
    expect(plain.text).not.toContain('class="weeks"')
    expect((await json(house, '/console/sessions?day=nonsense')).sessions).toHaveLength(2)
  })
})
