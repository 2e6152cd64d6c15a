import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openHouse, type House } from '../helpers/house.ts'
import { switchOff, switchOn } from '../helpers/moments.ts'
import { addStep, moveStep } from '../helpers/plans.ts'
import { ownerOf } from './owner.ts'

const ON = { LOAM_FEATURES_GAMIFICATION: 'true', LOAM_CONSOLE_TIMEZONE: 'UTC' }

const json = async (house: House, path = '/console/now'): Promise<any> =>
  (await ownerOf(house).json(path)).body
const fact = (name: string) => ({ name, kind: 'gotcha', description: 'D', body: 'B' })

/** At noon of a day, before today or after it. */
const noon = (days: number, { app }: House) =>
  sql`update clock set shift = shift + date_trunc('day', loam_now() - shift) + ${days} * interval '1 day'
    + interval '12 hours' - loam_now()`.execute(app.database.db)

describe('now, while gamification is on', () => {
  test('tells today beside the daily average of the seven days before', async () => {
    await using house = await openHouse({ env: ON })
    const tape = async () => (await json(house)).arcade.tape
    expect(await tape()).toEqual(
      [
        ['tasks', 'tasks closed'],
        ['memories', 'memories written'],
        ['notes', 'notes written'],
        ['plans', 'plans touched'],
        ['sessions', 'sessions started'],
      ].map(([key, label]) => ({ key, label, n: 0, avg: 0, tone: 'none' })),
    )
    // Eight days before is no more of the week.
    for (const days of [-8, -7, -1]) {
      await noon(days, house)
      const alice = await house.inside('atlas')
      await alice.call('memory_write', fact(`ebb${days}`))
      const { id } = await alice.call('notes_create', { title: `T${days}`, body: 'b' })
      await alice.call('notes_append', { id, body: 'more' })
      for (const plan of ['one', 'two'])
        await moveStep(house, await addStep(house, `${plan}${days}`), 'done')
    }
    await noon(0, house)
    const bob = await house.inside('atlas')
    await bob.call('memory_write', fact('flow'))
    const step = await addStep(house, 'three')
    await moveStep(house, step, 'done')
    await moveStep(house, step, 'open')
    await moveStep(house, step, 'done')
    expect(await tape()).toMatchObject([
      { key: 'tasks', n: 1, avg: 0.6, tone: 'up' },
      { key: 'memories', n: 1, avg: 0.3, tone: 'up' },
      { key: 'notes', n: 0, avg: 0.6, tone: 'down' },
      { key: 'plans', n: 1, avg: 0.6, tone: 'up' },
      { key: 'sessions', n: 1, avg: 0.3, tone: 'up' },
    ])
    const { text } = await ownerOf(house).get('/console/now')
    expect(text).toContain('average 0.6')
    expect(text).toMatch(/id="figure-tape-tasks"[\s\S]*?>1<small> task</)
  })

  test('tells the records as they stand, and which was set today', async () => {
    await using house = await openHouse({ env: ON })
    expect((await json(house)).arcade.records).toEqual([
      { key: 'tasks_day', label: 'tasks closed in a day', n: 0 },
      { key: 'memories_day', label: 'memories written in a day', n: 0 },
      { key: 'live_agents', label: 'agents live at once', n: 0 },
    ])
    await noon(-1, house)
    const before = (await json(house)).generated.slice(0, 10)
    await moveStep(house, await addStep(house, 'p'), 'done')
    await json(house)
    await noon(0, house)
    const alice = await house.inside('atlas')
    await alice.call('memory_write', fact('ebb'))
    const { arcade, generated } = await json(house)
    expect(arcade.records).toEqual([
      { key: 'tasks_day', label: 'tasks closed in a day', n: 1, day: before },
      ...[
        { key: 'memories_day', label: 'memories written in a day' },
        { key: 'live_agents', label: 'agents live at once' },
      ].map((one) => ({ ...one, n: 1, day: generated.slice(0, 10), today: true })),
    ])
    const { text } = await ownerOf(house).get('/console/now')
    expect(text.match(/record--today/g)).toHaveLength(2)
    expect(text).toContain(`<time datetime="${before}">`)
  })

  test('tells what was reached today: records that were broken and plans that are complete', async () => {
    await using house = await openHouse({ env: ON })
    await noon(-1, house)
    await moveStep(house, await addStep(house, 'yesterday'), 'done')
    expect((await json(house)).arcade.moments).toEqual([
      { id: 'plan-atlas-yesterday', copy: 'Plan yesterday is complete' },
    ])
    await noon(0, house)
    expect((await json(house)).arcade).not.toHaveProperty('moments')
    const steps = [await addStep(house, 'launch'), await addStep(house, 'launch')]
    await moveStep(house, steps[0]!, 'done')
    await moveStep(house, await addStep(house, 'dropped'), 'dropped')
    expect((await json(house)).arcade).not.toHaveProperty('moments')
    await moveStep(house, steps[1]!, 'dropped')
    await moveStep(house, await addStep(house, 'more'), 'done')
    const copies = async () => (await json(house)).arcade.moments.map(({ copy }: any) => copy)
    expect(await copies()).toEqual([
      'Plan launch is complete',
      'Plan more is complete',
      'New record: 2 tasks closed in a day',
    ])
    // A record that goes on is the same moment.
    await moveStep(house, await addStep(house, 'other'), 'in_progress')
    for (let n = 0; n < 2; n++) await moveStep(house, await addStep(house, 'other'), 'done')
    const { arcade } = await json(house)
    expect(arcade.moments.at(-1)).toEqual({
      id: 'record-tasks_day',
      copy: 'New record: 4 tasks closed in a day',
    })
    const page = await ownerOf(house).get('/console/now')
    expect(page.text).toContain('id="celebration-record-tasks_day"')
    const { wire } = await json(house)
    expect(wire.map(({ kind }: any) => kind)).toContain('gamification.record_broken')
  })

  test('tells how much happened in the last ten minutes, hot from fifteen events on', async () => {
    await using house = await openHouse({ env: ON })
    const streak = async () => (await json(house)).arcade.hotStreak
    expect(await streak()).toEqual({ count: 0, hot: false })
    expect((await ownerOf(house).get('/console/now')).text).not.toContain('in ten minutes')
    const happen = (n: number, ago: string) =>
      sql`insert into events (id, ts, kind, transport)
        select lpad(n::text || ${ago}, 26, 'A'), loam_now() - ${ago}::interval, 'tool.call', true
        from generate_series(1, ${n}::int) n`.execute(house.app.database.db)
    await happen(20, '11 min')
    await happen(14, '9 min')
    expect(await streak()).toEqual({ count: 14, hot: false })
    const calm = (await ownerOf(house).get('/console/now')).text
    expect(calm).toMatch(/class="streak"[^>]*>14 in ten minutes/)
    await happen(1, '1 min')
    expect(await streak()).toEqual({ count: 15, hot: true })
    expect((await ownerOf(house).get('/console/now')).text).toContain('streak--hot')
  })

  test('tells what each agent did today', async () => {
    await using house = await openHouse({ env: ON })
    const alice = await house.inside('atlas')
    await alice.call('memory_write', fact('ebb'))
    await alice.call('notes_create', { title: 'T', body: 'b' })
    const { id } = await alice.call('tasks_add', { title: 'A' })
    await alice.call('tasks_update', { id, status: 'done' })
    const { agents } = await json(house)
    expect(agents[0].contrib).toEqual({ memories: 1, notes: 1, tasksClosed: 1 })
    const { text } = await ownerOf(house).get('/console/now')
    expect(text).toContain('Today: 1 memory · 1 note · 1 task closed')
  })

  test('has a sheet and a script of its own, and nothing of it is anywhere while it is off', async () => {
    await using house = await openHouse()
    await house.inside('atlas')
    const trace = /gamification|arcade|streak|records|celebrat|class="tape|contrib/i
    const seen = async () => ({
      page: (await ownerOf(house).get('/console/now')).text,
      keys: Object.keys(await json(house)),
    })
    const off = await seen()
    expect(off.page).not.toMatch(trace)
    expect(off.keys).not.toContain('arcade')
    await switchOn(house, 'gamification')
    const on = await seen()
    const extras = [...on.page.matchAll(/"(\/console\/static\/gamification\.\w+\?v=\w+)"/g)]
    expect(extras.map(([, url]) => url!.replace(/\?.*/, ''))).toEqual([
      '/console/static/gamification.css',
      '/console/static/gamification.js',
    ])
    for (const [, url] of extras) expect((await fetch(`${house.url}${url}`)).status).toBe(200)
    expect(on.keys).toContain('arcade')
    // Pages that show nothing of it take nothing of it.
    expect((await ownerOf(house).get('/console/tasks')).text).not.toContain('static/gamification')
    await switchOff(house, 'gamification')
    const { page, keys } = await seen()
    // The wire tells of the switch itself.
    expect(page.replace(/<section id="wire"[\s\S]*/, '')).not.toMatch(trace)
    expect(keys).toEqual(off.keys)
  })
})
