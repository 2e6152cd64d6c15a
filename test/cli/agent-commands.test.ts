import { Compile } from 'typebox/compile'
import { describe, expect, test } from 'vitest'
import { RELEASED_JSON, SESSIONS_JSON } from '../../src/cli/client/console-json.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { runOn } from '../helpers/in-process.ts'

/** Runs one command with the address and the key of the house. */
const loam = (house: House, ...args: string[]) =>
  runOn([...args, '--quiet'], {
    cwd: house.dir,
    env: { LOAM_URL: house.url, LOAM_MCP_API_KEY: house.key },
  })

describe('for people and scripts', () => {
  test('loam fav stars an item and takes its star away', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const memory = { name: 'tide', kind: 'gotcha', description: 'd', body: 'b' }
    await agent.call('memory_write', memory)
    const fav = (...args: string[]) => loam(house, 'fav', ...args)

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

  test('loam usage prints what is kept and what becomes of it', async () => {
    await using house = await openHouse()
    const agent = await house.inside('')
    const memory = { name: 'tide', kind: 'gotcha', description: 'd', body: 'b' }
    await agent.call('memory_write', { ...memory, project: 'global' })
    await agent.call('session_start', { project: 'global' })
    await agent.call('memory_read', { name: 'tide' })
    const { code, stdout, stderr } = await loam(house, 'usage')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout.split('\n').slice(0, 10)).toEqual([
      'memories: 1 active: 1 gotcha',
      'notes: 0',
      'sessions: 2 active',
      'tasks: none',
      'put before agents: 1 items; read: 1',
      'not told again: 0 items, about 0 tokens',
      '  by session-start: 1, of 1 items; 100 % were then read',
      '  tide: shown 1 times',
      '  tide: utility 0.43',
      'proposals: none',
    ])
    expect(stdout).toMatch(/^events: .*1 memory\.read, 1 memory\.written/m)
  })
})

async function consoleJson(house: House, path: string, method = 'GET'): Promise<unknown> {
  const headers = { authorization: `Bearer ${house.key}`, accept: 'application/json' }
  return (await fetch(`${house.url}${path}`, { method, headers })).json()
}

test('the console lists sessions as loam sessions reads them', async () => {
  await using house = await openHouse()
  const agent = await house.inside('atlas')
  const { session_id } = await agent.call('session_start', { project: 'atlas', name: 'tide' })
  const answer = await consoleJson(house, '/console/sessions?format=json')
  expect([...Compile(SESSIONS_JSON).Errors(answer)]).toEqual([])

  const listed = await loam(house, 'sessions')
  expect(listed).toMatchObject({ code: 0, stderr: '' })
  expect(listed.stdout).toMatch(new RegExp(`^${session_id}  active     20\\S+  tide  atlas$`, 'm'))
  expect((await loam(house, 'sessions', '--status', 'completed')).stdout).toBe('')
  const one = await loam(house, 'sessions', String(session_id))
  expect(JSON.parse(one.stdout)).toMatchObject({ session: { id: session_id, name: 'tide' } })
  expect(await loam(house, 'sessions', 'nothing')).toMatchObject({
    code: 1,
    stderr: 'loam: no session nothing\n',
  })
})

test('the console releases a claim as loam task release --force reads it', async () => {
  await using house = await openHouse()
  const agent = await house.inside('atlas')
  const { id } = await agent.call('tasks_add', { title: 'One', project: 'atlas' })
  await agent.call('tasks_claim', { id })
  const answer = await consoleJson(house, `/console/tasks/${String(id)}/release`, 'POST')
  expect([...Compile(RELEASED_JSON).Errors(answer)]).toEqual([])
})

test('loam recall ends no line with a colon where a hit has no description', async () => {
  await using house = await openHouse()
  const agent = await house.inside('atlas')
  await agent.call('notes_create', { title: 'Who may import whom', body: 'Calls go down.' })
  const { stdout } = await loam(house, 'recall', 'import', '--project', 'atlas')
  expect(stdout).toBe(
    'note who-may-import-whom (atlas), just now\n  Who may import whom\n  Calls go down.\n',
  )
})
