import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findFeatures, resetFeatures } from '../../src/features/features.ts'
import { openDatabase } from '../../src/postgres/database.ts'
import { migrate } from '../../src/postgres/migrate.ts'
import { ownerOf } from '../console/owner.ts'
import { testDatabase } from '../helpers/database.ts'
import { schemaBefore } from '../helpers/earlier-schema.ts'
import { openHouse } from '../helpers/house.ts'
import { research, tried } from '../helpers/research.ts'

const TOOLS = ['lab_open', 'trial_query', 'trial_record']

describe('the research feature', () => {
  test('is off at first: its tools are as if there were none, on a connection that stands', async () => {
    await using house = await openHouse()
    const agent = await house.inside('harbor')
    const listed = async () => (await agent.tools()).map(({ name }) => name)
    expect(await listed()).not.toEqual(expect.arrayContaining(['lab_open']))
    const usual = await listed()
    for (const tool of TOOLS) {
      await expect(agent.raw(tool, { lab: 'x', title: 'y' })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining(`tool "${tool}" not found`) as string,
      })
    }
    expect((await house.events('tool.call')).map(({ payload }) => payload['tool'])).toEqual([])

    await research(house)
    expect(await listed()).toEqual([...usual, ...TOOLS].toSorted())
    const { id } = await tried(agent, 'LRU 10k')
    await agent.call('favorite_set', { kind: 'trial', id, favorite: true })

    await research(house, false)
    expect(await listed()).toEqual(usual)
    await expect(agent.raw('trial_record', { lab: 'a', title: 'b' })).rejects.toThrow('not found')
    await expect(
      agent.call('favorite_set', { kind: 'trial', id, favorite: false }),
    ).rejects.toThrow('favorite_set: the research feature is disabled')

    await research(house)
    expect((await agent.call('trial_query', {}))['trials']).toMatchObject([{ id }])
  })

  test('hides trials from recall, its scopes and its words while it is off, and keeps them', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    await tried(agent, 'LRU 10k', { actual: 'the gasket burst', outcome: 'fail' })
    const scopes = async () => {
      const recall = (await agent.tools()).find(({ name }) => name === 'recall')!
      const { scope } = recall.inputSchema.properties as { scope: { enum: string[] } }
      return [scope.enum.includes('trials'), recall.description!.includes('trials')]
    }
    const hits = async (args: object = {}) =>
      (await agent.call('recall', { query: 'gasket', ...args }))['hits']
    expect(await scopes()).toEqual([true, true])
    expect(await hits()).toHaveLength(1)
    expect(await hits({ scope: 'trials' })).toHaveLength(1)
    expect(await hits({ scope: 'tasks' })).toEqual([])

    await research(house, false)
    expect(await scopes()).toEqual([false, false])
    expect(await hits()).toEqual([])
    expect(await hits({ explain: true })).toEqual([])
    await expect(hits({ scope: 'trials' })).rejects.toThrow(
      'invalid scope "trials": valid values are all, memories, notes, tasks, sessions',
    )
    await research(house)
    expect(await hits()).toHaveLength(1)
  })

  test('hides trials from the search of the console while it is off', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('harbor')
    const { id } = await tried(agent, 'LRU 10k', { actual: 'the gasket burst', outcome: 'fail' })
    const owner = ownerOf(house)
    const search = async (query: string) =>
      (await owner.json(`/console/search?format=json&${query}`)).body as {
        groups: { kind: string; rows: { id: string; description: string }[] }[]
      }
    for (const query of ['q=gasket', 'q=LRU+10k&scope=trials', `q=${id}`]) {
      const { groups } = await search(query)
      expect(groups).toMatchObject([{ kind: 'trial', label: 'Trials', rows: [{ id }] }])
      expect(groups[0]!.rows[0]!.description).toBe('fail: the gasket burst')
    }
    await research(house, false)
    for (const query of ['q=gasket', `q=${id}`]) expect((await search(query)).groups).toEqual([])
    expect((await owner.json('/console/search?format=json&q=gasket&scope=trials')).status).toBe(400)
  })

  test('is on after an upgrade of a store that holds trials, unless its owner has chosen', async () => {
    await using earlier = await schemaBefore('_usage.sql')
    for (const [stored, held, expected] of [
      [null, true, { research: true }],
      [null, false, null],
      [{ momentum: true }, true, { momentum: true, research: true }],
      [{ research: false }, true, { research: false }],
      ['odd', true, 'odd'],
    ] as const) {
      await using database = await openDatabase(await testDatabase({ empty: true }))
      await migrate(database, { folder: earlier.folder })
      if (held) {
        await sql`insert into trials (id, project, lab, title) values ('T', '', 'l', 't')`.execute(
          database.db,
        )
      }
      if (stored) {
        await sql`insert into settings (key, value) values ('features_config', ${JSON.stringify(stored)}::jsonb)`.execute(
          database.db,
        )
      }
      await migrate(database)
      const { rows } = await sql<{ value: unknown }>`
          select value from settings where key = 'features_config'`.execute(database.db)
      expect(rows[0]?.value ?? null).toEqual(expected)
    }
  })

  test('goes back to the configuration when its switch is forgotten', async () => {
    await using house = await openHouse({ env: { LOAM_FEATURES_RESEARCH: 'true' } })
    const agent = await house.inside('harbor')
    expect((await agent.tools()).map(({ name }) => name)).toContain('lab_open')
    await research(house, false)
    expect((await agent.tools()).map(({ name }) => name)).not.toContain('lab_open')
    await resetFeatures(house.app.kernel, 'console')
    expect((await findFeatures(house.app.kernel)).research).toBe(true)
    expect((await agent.tools()).map(({ name }) => name)).toContain('lab_open')
  })
})
