import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  armUtility,
  forceUtility,
  unforceUtility,
  utilityReadiness,
} from '../../src/demand/demand.ts'
import { tellStatistics } from '../../src/usage/usage.ts'
import { garden } from '../helpers/garden.ts'
import { openHouse, type House } from '../helpers/house.ts'

/** Reads of so many items, each in a session of its own, so long ago. */
async function ask(house: House, { items = 1, times = 1, days = 0, project = 'atlas' }) {
  const { db } = house.app.kernel
  await sql`
    insert into events (id, ts, kind, transport, session_id, project, item_id)
    select gen_random_uuid()::text, loam_now() - ${days} * interval '1 day', 'note.read', false,
      gen_random_uuid()::text, ${project}, ${project} || i
    from generate_series(1, ${items}::int) i, generate_series(1, ${times}::int)`.execute(db)
  await tellStatistics(db)
}
const of = async (house: House, project = 'atlas') =>
  (await utilityReadiness(house.app.kernel.db)).find((one) => one.project === project)

describe('briefings are ordered by demand', () => {
  test('when a project has asked enough, often enough, for long enough, and not before', async () => {
    await using house = await openHouse()
    await ask(house, { items: 10, days: 13.9 })
    expect(await of(house)).toMatchObject({
      status: 'building',
      recentEvents: 10,
      recentMemories: 10,
      ageDays: 13,
      remaining: '10 more demand events in 30 days, 1 more days of history',
    })
    await ask(house, { items: 1, times: 10 })
    expect(await of(house)).toMatchObject({ status: 'building', eventsOK: true, ageOK: false })
    await ask(house, { items: 1, days: 14 })
    expect(await of(house)).toMatchObject({ status: 'armed', readyAt: null, remaining: '' })
  })

  test('of the last 30 days only', async () => {
    await using house = await openHouse()
    await ask(house, { items: 10, times: 3, days: 31 })
    expect(await of(house)).toMatchObject({
      status: 'building',
      recentEvents: 0,
      ageOK: true,
      remaining: '20 more demand events in 30 days, 10 more items asked for',
    })
  })

  test('for good, once a pass has latched it', async () => {
    await using house = await openHouse()
    await ask(house, { items: 10, times: 2, days: 15 })
    const { kernel } = house.app
    expect((await armUtility(kernel)).map(({ project }) => project)).toEqual(['atlas'])
    expect(await armUtility(kernel)).toEqual([])
    await house.moveClock('90 days')
    expect(await of(house)).toMatchObject({ status: 'active', readyAt: expect.any(String) })
  })

  test('once the gardener has made its round, which says so in the log of the project', async () => {
    await using house = await openHouse()
    await ask(house, { items: 10, times: 2, days: 15 })
    await garden(house, 'duplicates')
    expect(await of(house)).toMatchObject({ status: 'armed' })
    await garden(house)
    expect(await of(house)).toMatchObject({ status: 'active', readyAt: expect.any(String) })
    await garden(house)
    const armed = (await house.events('gardener.action')).filter(
      ({ payload }) => payload['action'] === 'utility_armed',
    )
    expect(armed).toMatchObject([
      { project: 'atlas', payload: { demand_events: 20, demand_memories: 10 } },
    ])
  })

  test('as the owner says, who can take it back', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    await forceUtility(kernel, { '': 'on' })
    expect(await of(house, '')).toMatchObject({ status: 'active', forced: 'on', remaining: '' })
    await forceUtility(kernel, { '': 'off' })
    expect(await of(house, '')).toMatchObject({ status: 'forced-off', forced: 'off' })
    await forceUtility(kernel, { '': 'auto' })
    expect(await of(house, '')).toMatchObject({ status: 'building', forced: null })
  })

  test('where the owner says so at the moment in which a pass latches another', async () => {
    await using house = await openHouse()
    await ask(house, { items: 10, times: 2, days: 15 })
    await house.inside('ledger')
    const { kernel } = house.app
    await Promise.all([
      armUtility(kernel),
      forceUtility(kernel, { '': 'on' }),
      forceUtility(kernel, { ledger: 'off' }),
    ])
    expect(await of(house, '')).toMatchObject({ forced: 'on' })
    expect(await of(house, 'ledger')).toMatchObject({ forced: 'off' })
    expect(await of(house)).toMatchObject({ status: 'active', readyAt: expect.any(String) })
    expect(await unforceUtility(kernel)).toEqual(['', 'ledger'])
    expect(await of(house, '')).toMatchObject({ forced: null })
  })

  test('in no scope that nobody knows', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    await house.inside('ledger')
    await expect(forceUtility(kernel, { ledger: 'on', ghost: 'on' })).rejects.toThrow(
      'no project "ghost"',
    )
    expect(await of(house, 'ledger')).toMatchObject({ forced: null })
  })
})
