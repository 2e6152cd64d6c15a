import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { fileOf, remember, rowOf } from './given.ts'

const WHOLE = 'All of it says a thing.'

describe('memory_edit', () => {
  test('answers the diff of what landed and the new hash', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'gate', {
      kind: 'stage',
      body: 'Status: open\nGate: ai\n',
    })

    const answer = await agent.call('memory_edit', {
      name: 'Gate',
      edits: [{ old_string: 'open', new_string: 'done' }],
      project: 'atlas',
    })

    expect(answer).toEqual({
      id,
      name: 'gate',
      project: 'atlas',
      content_hash: await house.sha256('memory/atlas/gate.md'),
      diff: '@@ -1,2 +1,2 @@\n-Status: open\n+Status: done\n Gate: ai\n',
    })
    expect((await rowOf(house, id))?.stage_status).toBe('done')
    expect((await house.events('memory.written')).at(-1)?.payload).toEqual({
      name: 'gate',
      edited: true,
      diff: answer['diff'],
    })
  })

  test('changes description and tags without a body, adding before it removes', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'x', { tags: ['a', 'b'] })
    const model = (await rowOf(house, id))!.model
    await house.session('atlas', { ambient: true, model: 'another' })

    const answer = await agent.call('memory_edit', {
      name: 'x',
      description: 'said\nbetter',
      tags_add: 'c, a, d',
      tags_remove: ['b', 'd'],
      project: 'atlas',
    })

    expect(answer).not.toHaveProperty('diff')
    expect(await rowOf(house, id)).toMatchObject({
      description: 'said better',
      tags: ['a', 'c'],
      model,
    })
  })

  test('that changes nothing writes nothing', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'x', { tags: ['a'] })
    const before = await rowOf(house, id)

    const answer = await agent.call('memory_edit', {
      name: 'x',
      tags_add: ['a'],
      project: 'atlas',
    })

    expect(answer['content_hash']).toBe(before?.content_hash)
    expect(await rowOf(house, id)).toEqual(before)
    expect(await house.events('memory.written')).toHaveLength(1)
  })

  test('finds a global one and says where it was', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { name: 'atlas' })
    await remember(agent, 'shared', { project: 'global' })

    const answer = await agent.call('memory_edit', {
      name: 'shared',
      description: 'better',
      project: 'atlas',
    })

    expect(answer['project']).toBe('global')
  })

  test('applies all of it or none', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'x')
    const before = await fileOf(house, 'memory/atlas/x.md')

    await expect(
      agent.call('memory_edit', {
        name: 'x',
        description: 'new',
        edits: [
          { old_string: 'The', new_string: 'A' },
          { old_string: 'absent', new_string: 'B' },
        ],
        project: 'atlas',
      }),
    ).rejects.toThrow('memory_edit: edits[1]: old_string does not occur')
    expect(await fileOf(house, 'memory/atlas/x.md')).toBe(before)
  })

  test('refuses a stale hash, whatever else it asks for', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'x')
    const { content_hash } = await agent.call('memory_read', { name: 'x', project: 'atlas' })
    await agent.call('memory_append', { name: 'x', body: 'more', project: 'atlas' })
    const now = await house.sha256('memory/atlas/x.md')

    await expect(
      agent.call('memory_edit', {
        name: 'x',
        description: 'y',
        expect_hash: ` ${content_hash.toUpperCase()} `,
        project: 'atlas',
      }),
    ).rejects.toThrow(
      `memory_edit: expect_hash "${content_hash}" is stale: its content_hash is ${now}; ` +
        'read the memory again',
    )
    await agent.call('memory_edit', {
      name: 'x',
      description: 'y',
      expect_hash: now,
      project: 'atlas',
    })
  })

  test.each<[Record<string, unknown>, string]>([
    [{ name: 'x' }, 'memory_edit: nothing to change: pass edits, description, tags_add'],
    [{ name: 'x', edits: [], expect_hash: 'ab' }, 'memory_edit: nothing to change'],
    [{ name: 'x', description: ' ' }, 'memory_edit: description must not be blank'],
    [
      { name: 'y', description: 'z' },
      'memory_edit: no memory "y" in project "atlas" nor in global; create it with memory_write',
    ],
    [
      { name: 'x', edits: [{ old_string: 'a', new_string: 'a' }] },
      'memory_edit: edits[0]: old_string and new_string are the same',
    ],
    [
      { name: 'x', edits: [{ old_string: WHOLE, new_string: ' ' }] },
      'memory_edit: the edits would leave the memory without a body; memory_delete removes it, memory_write',
    ],
  ])('refuses %o', async (args, message) => {
    await using house = await openHouse()
    const agent = await house.connect()
    await remember(agent, 'x', { body: WHOLE })

    await expect(agent.call('memory_edit', { project: 'atlas', ...args })).rejects.toThrow(message)
  })
})
