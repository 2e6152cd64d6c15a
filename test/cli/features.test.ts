import { expect, test } from 'vitest'
import { openOperated } from '../helpers/operator.ts'

test('loam features switches what the running service offers, and forgets its switches again', async () => {
  await using operated = await openOperated({ env: { LOAM_FEATURES_MOMENTUM: 'true' } })
  const { house } = operated
  const features = (...args: string[]) => operated.loam('features', ...args)
  const said = async (...args: string[]) => (await features(...args)).said
  const offered = async () => (await (await house.connect()).tools()).map(({ name }) => name)

  const usual = ['research: off', 'momentum: on', 'gamification: off']
  expect(await said()).toEqual(usual)
  expect(await said('list')).toEqual(usual)
  expect(await said('on', 'research', 'gamification')).toEqual([
    'research: on, by a stored switch',
    'momentum: on',
    'gamification: on, by a stored switch',
  ])
  expect(await offered()).toContain('lab_open')
  expect(await said('off', 'momentum')).toEqual([
    'research: on, by a stored switch',
    'momentum: off, by a stored switch',
    'gamification: on, by a stored switch',
  ])
  expect(await said('reset')).toEqual(usual)
  expect(await offered()).not.toContain('lab_open')

  expect(await features('on', 'telepathy')).toMatchObject({
    code: 1,
    complained: expect.stringContaining('no feature "telepathy"; there are research,') as string,
  })
  expect(await features('on')).toMatchObject({ code: 2 })
})
