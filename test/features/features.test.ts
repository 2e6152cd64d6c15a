import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  effectiveFeatures,
  FEATURES,
  findFeatures,
  resetFeatures,
  switchFeatures,
} from '../../src/features/features.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { openHouse, type House } from '../helpers/house.ts'

const OFF = { research: false, momentum: false, gamification: false }

const store = ({ app }: House, value: string) =>
  sql`insert into settings (key, value) values (${FEATURES}, ${value}::jsonb)
    on conflict (key) do update set value = excluded.value`.execute(app.kernel.db)

describe('a feature', () => {
  test('is off until the configuration or a stored switch says otherwise; the switch wins', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    expect(await findFeatures(kernel)).toEqual(OFF)

    expect(await switchFeatures(kernel, 'console', { research: true })).toEqual({
      ...OFF,
      research: true,
    })
    expect(await switchFeatures(kernel, 'console', { momentum: true, research: false })).toEqual({
      ...OFF,
      momentum: true,
    })
    const on = { ...OFF, research: true, momentum: false }
    expect(effectiveFeatures(on, { research: false })).toEqual(OFF)
    expect(await resetFeatures(kernel, 'console')).toEqual(OFF)
    expect(await findFeatures(kernel)).toEqual(OFF)

    expect((await house.events('settings.features_changed')).map(({ payload }) => payload)).toEqual(
      [
        { features: { research: true }, by: 'console' },
        { features: { research: false, momentum: true }, by: 'console' },
        { reset: true, by: 'console' },
      ],
    )
  })

  test.each([
    ['"research"'],
    ['[true]'],
    ['7'],
    ['null'],
    ['{"research": "yes", "nonsense": true}'],
  ])('is what the configuration says when the stored row cannot be read: %s', async (value) => {
    await using house = await openHouse({ env: { LOAM_FEATURES_MOMENTUM: 'true' } })
    await store(house, value)
    expect(await findFeatures(house.app.kernel)).toEqual({ ...OFF, momentum: true })
    const agent = await house.connect()
    expect(await agent.call('project_list')).toMatchObject({ projects: [] })
  })

  test('that nobody knows is refused by name, and nothing is stored', async () => {
    await using house = await openHouse()
    await expect(
      inTransaction(house.app.kernel, (kernel) =>
        switchFeatures(kernel, 'console', { research: true, telepathy: true }),
      ),
    ).rejects.toThrow('no feature "telepathy"; there are research, momentum, gamification')
    expect(await findFeatures(house.app.kernel)).toEqual(OFF)
  })

  test('two owners who switch at once both find their switch', async () => {
    await using house = await openHouse()
    const { kernel } = house.app
    await Promise.all([
      switchFeatures(kernel, 'console', { research: true }),
      switchFeatures(kernel, 'console', { momentum: true }),
      switchFeatures(kernel, 'console', { gamification: true }),
    ])
    expect(await findFeatures(kernel)).toEqual({
      research: true,
      momentum: true,
      gamification: true,
    })
  })
})
