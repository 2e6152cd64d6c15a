import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { remember, rowOf } from './given.ts'

describe('memory_append', () => {
  test.each([
    ['one', 'one\ntwo\n'],
    ['one\n\r\n\n', 'one\ntwo\n'],
  ])('puts a text on a line of its own behind %o', async (body, after) => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'list', { body })

    const answer = await agent.call('memory_append', {
      name: 'LIST',
      text: 'two',
      project: 'atlas',
    })

    expect(answer).toEqual({ id, name: 'list', status: 'appended' })
    expect((await rowOf(house, id))?.body).toBe(after)
    expect((await house.events('memory.written')).at(-1)?.payload).toEqual({
      name: 'list',
      appended: true,
    })
  })

  test('restamps the model and leaves the session that made it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'x')
    const process = 'ab'.repeat(16)
    await house.session('atlas', { model: 'claude-fable-5', process })
    const later = await house.connect('alice', { 'loam-process': process })

    await later.call('memory_append', { name: 'x', body: 'more', project: 'atlas' })

    expect(await rowOf(house, id)).toMatchObject({ model: 'claude-fable-5', source_session: '' })
  })

  test('says when a stage has lost its header', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'gate', { kind: 'stage' })

    const answer = await agent.call('memory_append', {
      name: 'gate',
      body: 'more',
      project: 'atlas',
    })

    expect(answer['stage_hint']).toContain('no Status: line')
  })

  test('falls back to global', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { name: 'atlas' })
    const { id } = await remember(agent, 'shared', { project: 'global' })

    await agent.call('memory_append', { name: 'shared', body: 'more', project: 'atlas' })

    expect((await rowOf(house, id))?.body).toContain('more')
  })

  test('lands every one of many at once', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'log', { body: 'start\n' })
    const lines = Array.from({ length: 12 }, (_, i) => `line-${i}`)

    await Promise.all(
      lines.map((body) => agent.call('memory_append', { name: 'log', body, project: 'atlas' })),
    )

    const body = (await rowOf(house, id))!.body
    expect(body.trimEnd().split('\n').sort()).toEqual([...lines, 'start'].sort())
  })

  test.each<[Record<string, unknown>, string]>([
    [{ name: 'x', body: ' \n' }, 'memory_append: body must not be blank'],
    [{ name: ' ', body: 'a' }, 'memory_append: name is required'],
    [
      { name: 'x', body: 'a', project: 'atlas' },
      'memory_append: no memory "x" in project "atlas" nor in global; create it with memory_write',
    ],
    [{ name: 'x', body: 'a', project: 'global' }, 'memory_append: no memory "x" in global; create'],
  ])('refuses %o', async (args, message) => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { name: 'atlas' })

    await expect(agent.call('memory_append', args)).rejects.toThrow(message)
  })

  test('refuses a memory that is no longer active', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'old')
    await remember(agent, 'new', { supersedes: 'old' })

    await expect(
      agent.call('memory_append', { name: 'old', body: 'x', project: 'atlas' }),
    ).rejects.toThrow('memory "old" was superseded or archived and is changed no more')
  })
})
