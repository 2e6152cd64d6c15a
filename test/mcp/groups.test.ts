import { describe, expect, test } from 'vitest'
import { bridged } from '../helpers/bridged.ts'
import { ONE_OF_EACH } from '../helpers/groups.ts'
import { openHouse } from '../helpers/house.ts'
import { research } from '../helpers/research.ts'

const groupOf = (tool: string): string => tool.split('_')[0]!

describe('one call of each group of tools', () => {
  test('there is, but of capture', async () => {
    await using house = await openHouse()
    await research(house)
    const { tools } = await (await house.connect()).client.listTools()
    const groups = new Set(tools.map(({ name }) => groupOf(name)))
    groups.delete('capture')
    expect([...new Set(Object.keys(ONE_OF_EACH).map(groupOf))].toSorted()).toEqual(
      [...groups].toSorted(),
    )
  })

  test('is answered without an error to the SDK’s client', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.connect()
    for (const [tool, args] of Object.entries(ONE_OF_EACH)) {
      expect(await agent.call(tool, args), tool).toEqual(expect.any(Object))
    }
  })

  test('is answered without an error through the bridge', async () => {
    await using house = await openHouse()
    await research(house)
    const client = bridged(house, { key: house.key })
    const clientInfo = { name: 'harbor', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    await client.call({ id: 1, method: 'initialize', params })
    client.send({ method: 'notifications/initialized' })
    let id = 1
    for (const [name, args] of Object.entries(ONE_OF_EACH)) {
      const asked = { id: ++id, method: 'tools/call', params: { name, arguments: args } }
      const { result } = await client.call(asked)
      expect([name, result]).toEqual([
        name,
        expect.objectContaining({ structuredContent: expect.any(Object) }),
      ])
      expect(result).not.toHaveProperty('isError', true)
    }
    await client.end()
  })
})
