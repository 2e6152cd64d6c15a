import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { tellStatistics } from '../../src/usage/usage.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { switchOff, switchOn } from '../helpers/moments.ts'
import { ownerOf } from './owner.ts'

const json = async (house: House, path: string): Promise<any> =>
  (await ownerOf(house).json(path)).body
const onBoard = async (house: House, slug = 'atlas', w = '24h') => {
  const { flat } = await json(house, `/console/projects?group=flat&w=${w}`)
  return flat.find((row: any) => row.slug === slug).stage
}
const reached = async (house: House) =>
  (await house.events('project.stage_reached')).map(({ project, item_id, payload }) => ({
    project,
    item: item_id,
    ...payload,
  }))

/** The project as it would stand when so much had been done in it. */
async function grow(
  { app, inside }: House,
  { slug = 'atlas', days = 0, memories = 0, events = 0 },
): Promise<void> {
  const { db } = app.database
  await inside(slug)
  await sql`update projects set created_at = loam_now() - ${days} * interval '1 day' where slug = ${slug}`.execute(
    db,
  )
  await sql`insert into memories (id, project, name, kind, body, valid_from, path, content_hash, created_at, updated_at, heading)
    select lpad(${slug} || n, 26, 'M'), ${slug}, 'm' || n, 'gotcha', 'b', loam_now(), ${slug} || n, 'h', loam_now(), loam_now(), ''
    from generate_series(1, ${memories}::int) n on conflict do nothing`.execute(db)
  await sql`insert into events (id, ts, kind, transport, project)
    select lpad(${slug} || n, 26, 'E'), loam_now(), 'memory.read', false, ${slug}
    from generate_series(1, ${events}::int) n on conflict do nothing`.execute(db)
  await tellStatistics(db)
}

describe('the stage of a project', () => {
  test('grows with age, memories, events and reach, and tells what the next one asks for', async () => {
    await using house = await openHouse()
    await switchOn(house, 'momentum')
    await grow(house, { days: 6, memories: 5, events: 30 })
    const seedling = await onBoard(house)
    expect(seedling).toMatchObject({
      stage: 'seedling',
      next: 'sprouting asks for 7 days of age (now 6)',
    })
    expect(seedling.since).toMatch(/^20/)
    expect(await reached(house)).toEqual([])

    await grow(house, { days: 7, memories: 5, events: 30 })
    expect(await onBoard(house)).toMatchObject({
      stage: 'sprouting',
      next: 'established asks for 30 days of age (now 7), 15 active memories (now 5), 250 events (now 30)',
    })
    // The first bar that fails holds it back, whatever the others say.
    await grow(house, { days: 100, memories: 60, events: 200 })
    expect((await onBoard(house)).stage).toBe('sprouting')
    await grow(house, { days: 100, memories: 60, events: 1_200 })
    const { stage } = await json(house, '/console/projects/atlas')
    expect(stage).toMatchObject({
      stage: 'established',
      next: 'deep-rooted asks for 40 % reach (now 0)',
    })
    expect(await reached(house)).toEqual(
      [
        ['sprouting', 'seedling'],
        ['established', 'sprouting'],
      ].map(([stage, from]) => ({
        project: 'atlas',
        item: `${stage}:atlas`,
        ...{ stage, from },
      })),
    )
    const board = (await ownerOf(house).get('/console/projects')).text
    expect(board).toMatch(
      /class="pill stage stage--established" title="Since [^"]+deep-rooted asks/,
    )
    const page = (await ownerOf(house).get('/console/projects/atlas')).text
    expect(page).toContain('Established since')
    // What all share has no stage, and what nobody registered no age.
    await house.session('stray')
    expect(await onBoard(house, '')).toBeUndefined()
    expect(await onBoard(house, 'stray')).toMatchObject({ stage: 'seedling' })
  })

  test('is told once, whoever looks at the same time, and never taken back', async () => {
    await using house = await openHouse()
    await switchOn(house, 'momentum')
    await grow(house, { days: 40, memories: 20, events: 300 })
    await grow(house, { slug: 'reef', days: 8, memories: 6, events: 40 })
    const paths = ['/console/projects', '/console/projects/atlas', '/console/projects?group=flat']
    await Promise.all([...paths, ...paths].map((path) => json(house, path)))
    // It comes to the highest at once.
    const once = [
      { project: 'atlas', item: 'established:atlas', stage: 'established', from: 'seedling' },
      { project: 'reef', item: 'sprouting:reef', stage: 'sprouting', from: 'seedling' },
    ]
    expect((await reached(house)).toSorted((a, b) => (a.item! < b.item! ? -1 : 1))).toEqual(once)
    await sql`update memories set invalid_at = loam_now()`.execute(house.app.database.db)
    expect((await onBoard(house)).stage).toBe('established')
    expect(await reached(house)).toHaveLength(2)
  })

  test('is looked at by nobody while momentum is off', async () => {
    await using house = await openHouse()
    await grow(house, { days: 40, memories: 20, events: 300 })
    expect(await onBoard(house)).toBeUndefined()
    expect(await json(house, '/console/projects/atlas')).not.toHaveProperty('stage')
    expect((await ownerOf(house).get('/console/projects')).text).not.toContain('stage--')
    expect(await reached(house)).toEqual([])
    await switchOn(house, 'momentum')
    expect((await onBoard(house)).stage).toBe('established')
    await switchOff(house, 'momentum')
    expect(await onBoard(house)).toBeUndefined()
    expect(await reached(house)).toHaveLength(1)
  })
})
