import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { recalls, remember, rowOf } from './given.ts'

describe('memory_delete', () => {
  test('removes file, row, links and passages, and says where it was', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'gone', { body: 'See [[other]] about numbats.' })

    const answer = await agent.call('memory_delete', { name: 'Gone', project: 'atlas' })

    expect(answer).toEqual({ id, name: 'gone', project: 'atlas', status: 'deleted' })
    expect(await house.files()).toEqual([])
    expect(await rowOf(house, id)).toBeUndefined()
    expect(await recalls(agent, 'numbats', id)).toBe(false)
    const { db } = house.app.database
    expect(await db.selectFrom('links').selectAll().execute()).toEqual([])
    expect(await house.events('memory.archived')).toMatchObject([
      { item_id: id, project: 'atlas', payload: { name: 'gone', deleted: true } },
    ])
  })

  test('takes its text out of what was recorded of it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'gone')
    await agent.call('memory_edit', {
      name: 'gone',
      edits: [{ old_string: 'The', new_string: 'Numbat' }],
      project: 'atlas',
    })
    expect((await house.events('memory.written')).at(-1)?.payload['diff']).toContain('Numbat')

    await agent.call('memory_delete', { name: 'gone', project: 'atlas' })

    expect((await house.events('memory.written')).at(-1)?.payload).toEqual({
      name: 'gone',
      edited: true,
    })
  })

  test('finds a global one from a project, and an inactive one last', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id: shared } = await remember(agent, 'x', { project: 'global' })
    const { id: old } = await remember(agent, 'x')
    await remember(agent, 'y', { supersedes: 'x' })
    const drop = () => agent.call('memory_delete', { name: 'x', project: 'atlas' })

    expect(await drop()).toMatchObject({ id: shared, project: 'global' })
    expect(await drop()).toMatchObject({ id: old, project: 'atlas' })
    await expect(drop()).rejects.toThrow('memory_delete: no memory "x" in project "atlas" nor in')
  })

  test('refuses a blank name', async () => {
    await using house = await openHouse()
    const agent = await house.connect()

    await expect(agent.call('memory_delete', { name: ' ' })).rejects.toThrow(
      'memory_delete: name is required',
    )
  })

  test('frees a global memory from a confidential project for nobody', async () => {
    await using house = await openHouse()
    const outside = await house.connect()
    const { id } = await remember(outside, 'shared', { project: 'global' })
    const agent = await house.inside('ledger', 'confidential')

    await expect(agent.call('memory_delete', { name: 'shared' })).rejects.toThrow(
      'session is bound to confidential project ledger and can write nowhere else',
    )
    expect(await rowOf(house, id)).toBeDefined()
  })
})
