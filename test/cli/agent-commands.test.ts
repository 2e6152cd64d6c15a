import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { loam } from '../helpers/in-process.ts'

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

  test('loam usage prints what is kept and what becomes of it', { timeout: 120_000 }, async () => {
    await using house = await openHouse({ env: {} })
    const agent = await house.inside('')
    const memory = { name: 'tide', kind: 'gotcha', description: 'd', body: 'b' }
    await agent.call('memory_write', { ...memory, project: 'global' })
    await agent.call('session_start', { project: 'global' })
    await agent.call('memory_read', { name: 'tide' })
    const env = { LOAM_URL: house.url, LOAM_MCP_API_KEY: house.key }
    const { code, stdout, stderr } = await loam(['usage'], { folder: house.dir, env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n').slice(0, 9)).toEqual([
      'memories: 1 active: 1 gotcha',
      'notes: 0',
      'sessions: 2 active',
      'tasks: none',
      'put before agents: 1 items; read: 1',
      '  by session-start: 1, of 1 items; 100 % were then read',
      '  tide: shown 1 times',
      '  tide: utility 0.43',
      'proposals: none',
    ])
    expect(stdout).toMatch(/^events: .*1 memory\.read, 1 memory\.written/m)
  })
})
