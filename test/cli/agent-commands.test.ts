import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { loam } from '../helpers/service.ts'

describe('for people and scripts', () => {
  test('loam fav stars an item and takes its star away', { timeout: 120_000 }, async () => {
    await using house = await openHouse({ env: {} })
    const agent = await house.inside('atlas')
    const memory = { name: 'tide', kind: 'gotcha', description: 'd', body: 'b' }
    await agent.call('memory_write', memory)
    const env = { LOAM_URL: house.url, LOAM_MCP_API_KEY: house.key }
    const fav = (...args: string[]) => loam(['fav', ...args], { folder: house.dir, env })

    expect(await fav('memory', 'tide', '--project', 'atlas')).toEqual({
      code: 0,
      stdout: 'starred: memory tide\n',
      stderr: '',
    })
    expect(await agent.call('memory_read', { name: 'tide' })).toMatchObject({ favorite: true })
    expect(await fav('memory', 'tide', '--project', 'atlas', '--off')).toMatchObject({
      stdout: 'not starred: memory tide\n',
    })
    expect((await agent.call('memory_read', { name: 'tide' }))['favorite']).toBeUndefined()
    expect(await fav('memory', 'ebb')).toMatchObject({
      code: 1,
      stderr: 'loam: favorite_set: no memory "ebb" in global; recall finds memories by content\n',
    })
    expect(await fav('boat', 'x')).toMatchObject({ code: 1 })
    expect(await fav('memory')).toMatchObject({ code: 2 })
  })
})
