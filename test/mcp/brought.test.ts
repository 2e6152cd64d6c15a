import { expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { probe } from '../helpers/tools.ts'
import { openStateless } from '../helpers/wire.ts'
import { catalog } from '../../src/mcp/catalog.ts'

test('a tool that a test brings is a tool like any other, in both generations', async () => {
  await using house = await openHouse({ tools: [probe] })
  const agent = await house.inside('atlas')
  const names = (await agent.tools()).map(({ name }) => name)
  expect(names.length).toBe(catalog.filter(({ feature }) => !feature).length + 1)
  expect(names).toContain('probe')

  const bound = await agent.call('probe', { content: 'x' })
  expect(bound).toMatchObject({ understood: { body: 'x' }, project: 'atlas' })
  const { session } = bound
  expect(await openStateless(house).call('probe', { session })).toMatchObject({ project: 'atlas' })

  await house.app.kernel.telemetry.flush()
  const calls = await house.events('tool.call')
  expect(calls.map(({ payload, session_id }) => [payload['tool'], session_id])).toEqual([
    ['probe', session],
    ['probe', session],
  ])
})

test('a tool that is called like another keeps the service from starting', async () => {
  await expect(openHouse({ tools: [{ ...probe, name: 'recall' }] })).rejects.toThrow(
    'two tools are called recall',
  )
})
