import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

async function at(house: House, name: string, project = 'atlas'): Promise<Agent> {
  const agent = await house.connect(name)
  await agent.call('session_start', { name, project })
  return agent
}

describe('a read tells', () => {
  test('when a note was made and changed last, and by whom', async () => {
    await using house = await openHouse()
    const [alice, bob] = [await at(house, 'tide study'), await at(house, 'night watch')]
    const { id } = await alice.call('notes_create', { title: 'T', body: 'B' })
    const made = await bob.call('notes_read', { id })
    expect(made).toMatchObject({ created_by: 'tide study', updated_by: 'tide study' })
    expect(made['created']).toBe(made['updated'])

    await bob.call('notes_append', { id, body: 'more' })
    for (let i = 0; i < 3; i++) await alice.call('notes_read', { id })
    const changed = await alice.call('notes_read', { id })
    expect(changed).toMatchObject({
      created: made['created'],
      created_by: 'tide study',
      updated_by: 'night watch',
    })
    expect(Date.parse(changed['updated'])).toBeGreaterThan(Date.parse(made['updated']))
  })

  test('the same of a memory, and nobody for what was changed by hand', async () => {
    await using house = await openHouse()
    const alice = await at(house, 'tide study')
    const fact = { name: 'rule', kind: 'gotcha', description: 'd', body: 'b' }
    const { id } = await alice.call('memory_write', fact)
    expect(await alice.call('memory_read', { id })).toMatchObject({
      created_by: 'tide study',
      updated_by: 'tide study',
    })

    await appendFile(join(house.dir, 'memory/atlas/rule.md'), 'by hand\n')
    await alice.call('memory_read', { id })
    const read = await alice.call('memory_read', { id })
    expect(read).toMatchObject({ created_by: 'tide study', body: 'bby hand\n' })
    expect(read).not.toHaveProperty('updated_by')
  })

  test('no session of a project that the reader may not read', async () => {
    await using house = await openHouse()
    const alice = await at(house, 'tide study')
    await house.inside('ledger', 'confidential')
    const { id } = await alice.call('notes_create', { title: 'T', body: 'B' })
    const sessions = house.app.database.db.updateTable('sessions')
    await sessions.set({ project: 'ledger' }).where('name', '=', 'tide study').execute()

    const note = await (await house.connect()).call('notes_read', { id })

    expect(note).toMatchObject({ id, project: 'atlas' })
    expect(note).not.toHaveProperty('created_by')
  })
})
