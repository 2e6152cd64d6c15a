import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { archive } from '../../src/memories/memories.ts'
import { openHouse } from '../helpers/house.ts'
import { byHand, recalls, remember } from './given.ts'

const today = () => new Date().toISOString().slice(0, 10)

describe('memory_read', () => {
  test('answers everything that an agent needs, by name and by id', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'csv', { tags: ['import'] })

    const byName = await agent.call('memory_read', { name: 'CSV', project: 'atlas' })

    expect(byName).toEqual({
      id,
      kind: 'gotcha',
      name: 'csv',
      description: 'What is known of csv',
      project: 'atlas',
      body: 'The body of csv.\n',
      tags: ['import'],
      source_session: '',
      created: expect.stringMatching(/^20\d\d-.*Z$/),
      updated: expect.stringMatching(/^20\d\d-.*Z$/),
      content_hash: await house.sha256('memory/atlas/csv.md'),
    })
    expect(await agent.call('memory_read', { id })).toEqual(byName)
    expect(await house.events('memory.read')).toMatchObject([
      { item_id: id, project: 'atlas', payload: { name: 'csv' } },
      { item_id: id },
    ])
  })

  test('notes what was told once, and writes nothing when it is told again', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('session_start', { project: 'atlas' })
    // Hooks of its client might tell it twice.
    await house.app.kernel.db
      .updateTable('sessions')
      .set({ external_client: 'claude-code', client_session_id: 'a-client' })
      .execute()
    const { id } = await remember(agent, 'csv')
    const rows = async () => {
      const { rows } = await sql<{ version: string; row: string }>`
        select version, concat(ctid, ' ', xmin, ' ', xmax) as row from told`.execute(
        house.app.kernel.db,
      )
      return rows
    }
    await agent.call('memory_read', { name: 'csv' })
    const told = await rows()
    expect(told).toHaveLength(1)
    await agent.call('memory_read', { name: 'csv' })
    expect(await recalls(agent, 'csv', id)).toBe(true)
    expect(await rows()).toEqual(told)
    await agent.call('memory_append', { name: 'csv', text: 'And one thing more.' })
    await agent.call('memory_read', { name: 'csv' })
    const [again] = await rows()
    expect(again?.version).not.toBe(told[0]?.version)
  })

  test('prefers the project to global, and what is active to what is not', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const read = async () =>
      (await agent.call('memory_read', { name: 'rule', project: 'atlas' }))['id']
    await agent.call('project_create', { name: 'atlas' })
    const { id: everywhere } = await remember(agent, 'rule', { project: 'global' })
    expect(await read()).toBe(everywhere)
    const { id: own } = await remember(agent, 'rule')
    expect(await read()).toBe(own)
    await remember(agent, 'rule-2', { supersedes: 'rule' })
    expect(await read()).toBe(everywhere)
    await agent.call('memory_delete', { name: 'rule', project: 'global' })
    expect(await read()).toBe(own)
  })

  test('warns of a memory that was superseded or archived', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id: old } = await remember(agent, 'old')
    const { id: next } = await remember(agent, 'new', { supersedes: 'old' })
    const { id: plain } = await remember(agent, 'plain')
    await archive(house.app.kernel, NOBODY, plain, { reason: 'of no use' })

    expect((await agent.call('memory_read', { id: old }))['warning']).toBe(
      `superseded by atlas/new (${next}) on ${today()}; read that instead`,
    )
    expect((await agent.call('memory_read', { id: plain }))['warning']).toBe(
      `archived on ${today()}; no longer active`,
    )
    expect(await agent.call('memory_read', { id: next })).not.toHaveProperty('warning')
  })

  test('reads what an editor made of the file, which recall then finds', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await remember(agent, 'edited')
    await byHand(house, 'memory/atlas/edited.md', (text) => `${text}By hand: wombat.\n`)

    expect((await agent.call('memory_read', { id }))['body']).toContain('wombat')
    expect(await recalls(agent, 'wombat', id)).toBe(true)
  })

  test.each<[Record<string, unknown>, string]>([
    [{}, 'memory_read: id or name is required; recall finds memories by content'],
    [{ id: 'a', name: 'b' }, 'memory_read: pass id or name, not both'],
    [{ id: '01K9ZC4T7Q8V2M5N6P3R1S0WXY' }, 'memory_read: no memory with id "01K9'],
    [
      { name: 'x', project: 'atlas' },
      'memory_read: no memory "x" in project "atlas" nor in global; try recall, or its id',
    ],
    [{ name: 'x' }, 'memory_read: no memory "x" in global; try recall, or its id'],
  ])('refuses %o', async (args, message) => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { name: 'atlas' })

    await expect(agent.call('memory_read', args)).rejects.toThrow(message)
  })

  test('tells a sealed session that global is outside its world', async () => {
    await using house = await openHouse()
    const outside = await house.connect()
    await remember(outside, 'shared', { project: 'global' })
    const agent = await house.inside('crypt', 'sealed')

    await expect(agent.call('memory_read', { name: 'shared' })).rejects.toThrow(
      `no memory "shared" in project "crypt"; global is outside this session's world`,
    )
  })
})
