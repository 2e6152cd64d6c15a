import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findFeatures } from '../../src/features/features.ts'
import { findSetting, putSetting } from '../../src/kernel/settings.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { moments, switchOff, switchOn } from '../helpers/moments.ts'
import { addStep, moveStep } from '../helpers/plans.ts'

const ON = { LOAM_FEATURES_GAMIFICATION: 'true', LOAM_CONSOLE_TIMEZONE: 'UTC' }
/** At noon, so that no midnight comes in between. */
const noon = (days: number, house: House) =>
  house
    .moveClock('0')
    .then(() =>
      sql`update clock set shift = date_trunc('day', loam_now()) + ${days} * interval '1 day' + interval '12 hours' - loam_now()`.execute(
        house.app.database.db,
      ),
    )

const broken = async (house: House, record: string) =>
  (await moments(house, 'gamification.record_broken', 'gamification'))
    .filter(({ payload }) => payload['record'] === record)
    .map(({ item_id, project, session_id, payload: { n, prev } }) => {
      expect([project, session_id]).toEqual(['', null])
      return { item: item_id, n, prev }
    })
const kept = async ({ app }: House) =>
  (await findSetting(app.database.db, 'gamification_records')) as Record<string, unknown>

async function close(house: House, count: number): Promise<void> {
  const { followers } = house.app.kernel
  for (let n = 0; n < count; n++) {
    await moveStep(house, await addStep(house, 'p'), 'done')
    // While the feature is off nobody follows.
    if ((await findFeatures(house.app.kernel)).gamification)
      await followers.caughtUp('gamification')
  }
}
const dayOf = async ({ app }: House): Promise<string> => {
  const { rows } = await sql<{ day: string }>`
    select to_char(loam_now() at time zone 'UTC', 'YYYY-MM-DD') as day`.execute(app.database.db)
  return rows[0]!.day
}

describe('a record', () => {
  test('goes forward only, and is told once on a day that breaks it', async () => {
    await using house = await openHouse({ env: ON })
    await noon(-9, house)
    await close(house, 2)
    // A beginning is kept, and no word is lost about it.
    expect(await broken(house, 'tasks_day')).toEqual([])
    expect(await kept(house)).toMatchObject({ tasksDay: { n: 2, day: await dayOf(house) } })
    await close(house, 3)
    const first = await dayOf(house)
    const told = [{ item: `tasks_day:${first}`, n: 3, prev: 0 }]
    expect(await broken(house, 'tasks_day')).toEqual(told)
    expect(await kept(house)).toMatchObject({ tasksDay: { n: 5, day: first } })

    await noon(-8, house)
    await close(house, 5)
    expect(await broken(house, 'tasks_day')).toEqual(told)
    await close(house, 3)
    const second = await dayOf(house)
    told.push({ item: `tasks_day:${second}`, n: 6, prev: 5 })
    expect(await broken(house, 'tasks_day')).toEqual(told)
    expect(await kept(house)).toMatchObject({ tasksDay: { n: 8, day: second } })

    await noon(-7, house)
    await close(house, 1)
    expect(await kept(house)).toMatchObject({ tasksDay: { n: 8, day: second } })
  })

  test('counts a task once a day, however often it is done', async () => {
    await using house = await openHouse({ env: ON })
    const step = await addStep(house, 'p')
    for (let n = 0; n < 4; n++) {
      await moveStep(house, step, 'done')
      await moveStep(house, step, 'open')
    }
    await moveStep(house, await addStep(house, 'p'), 'dropped')
    await house.app.kernel.followers.caughtUp('gamification')
    expect(await kept(house)).toMatchObject({ tasksDay: { n: 1 } })
  })

  test('is of memories that were written on a day, and of agents that were live at once', async () => {
    await using house = await openHouse({ env: ON })
    const agents = [await house.inside('atlas'), await house.inside('atlas')]
    for (const [nth, agent] of agents.entries())
      await agent.call('memory_write', {
        ...{ name: `ebb-${nth}`, kind: 'gotcha', description: 'D', body: 'B' },
      })
    await house.app.kernel.followers.caughtUp('gamification')
    expect(await kept(house)).toMatchObject({ memoriesDay: { n: 2 }, liveAgents: { n: 2 } })
    expect(await broken(house, 'live_agents')).toEqual([])
    // Who fell silent is not live.
    await house.moveClock('3 hours')
    const later = [await house.inside('atlas'), await house.inside('atlas')]
    for (const agent of later) await agent.call('memory_read', { name: 'ebb-0' })
    expect(await broken(house, 'live_agents')).toEqual([])
    expect(await kept(house)).toMatchObject({ liveAgents: { n: 2 } })
    await (await house.inside('atlas')).call('memory_read', { name: 'ebb-0' })
    expect(await broken(house, 'live_agents')).toMatchObject([{ n: 3 }])
  })

  test('counts a day by its own events, whenever they are handed over', async () => {
    await using house = await openHouse({ env: ON })
    await noon(-5, house)
    await close(house, 1)
    const day = await dayOf(house)
    // The process that would have counted them was gone: they come on the day after.
    for (let n = 0; n < 4; n++) {
      await sql`insert into events (id, ts, kind, transport, project, item_id, payload)
        values (${`01K00000000000000000000${n}AA`}, loam_now(), 'task.transition', false, 'atlas', ${`item${n}`}, '{"to": "done"}')`.execute(
        house.app.database.db,
      )
      if (n === 2) await noon(-4, house)
    }
    expect(await broken(house, 'tasks_day')).toEqual([{ item: `tasks_day:${day}`, n: 4, prev: 0 }])
    expect(await kept(house)).toMatchObject({ tasksDay: { n: 4, day } })
  })

  test('begins with the best days there were, and celebrates none of them', async () => {
    await using house = await openHouse({ env: { LOAM_CONSOLE_TIMEZONE: 'UTC' } })
    await noon(-20, house)
    await close(house, 4)
    const day = await dayOf(house)
    await noon(-2, house)
    await close(house, 3)
    await switchOn(house, 'gamification')
    expect(await kept(house)).toMatchObject({ tasksDay: { n: 4, day } })
    await close(house, 1)
    expect(await broken(house, 'tasks_day')).toEqual([])
    await close(house, 1)
    expect(await broken(house, 'tasks_day')).toMatchObject([{ n: 5, prev: 4 }])
  })

  test('is looked at no more while gamification is off, and stays what it was', async () => {
    await using house = await openHouse()
    await switchOn(house, 'gamification')
    await close(house, 3)
    const before = await kept(house)
    const told = await broken(house, 'tasks_day')
    expect(told).toHaveLength(1)
    await switchOff(house, 'gamification')
    await close(house, 4)
    expect(await kept(house)).toEqual(before)
    const { rows } = await sql`select from followers`.execute(house.app.database.db)
    expect(rows).toEqual([])
    expect(await house.events('gamification.record_broken')).toHaveLength(1)
  })

  test('is made anew where its row is damaged, and no day is told twice', async () => {
    await using house = await openHouse({ env: ON })
    await close(house, 3)
    expect(await broken(house, 'tasks_day')).toHaveLength(1)
    for (const odd of [7, 'x', { tasksDay: { n: -3 } }, { tasksDay: [] }]) {
      await putSetting(house.app.database.db, 'gamification_records', odd)
      await close(house, 1)
      expect(await broken(house, 'tasks_day')).toHaveLength(1)
    }
    expect(await kept(house)).toMatchObject({ tasksDay: { n: 7 } })
  })
})
