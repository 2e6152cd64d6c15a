import { describe, expect, test } from 'vitest'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { archive } from '../../src/memories/memories.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { remember } from './given.ts'

const today = () => new Date().toISOString().slice(0, 10)

/** Moves the row of a memory, past all fences. */
const moveRow = (house: House, id: string, project: string) =>
  house.app.database.db.updateTable('memories').set({ project }).where('id', '=', id).execute()

describe('what stands in the place of a memory', () => {
  test('is the end of the chain, through several replacements', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) {
      const supersedes = i > 0 ? { supersedes: `fact-${i - 1}` } : {}
      ids.push((await remember(agent, `fact-${i}`, supersedes))['id'])
    }
    const [first, , , fourth, last] = ids

    expect(await agent.call('memory_read', { id: first })).toMatchObject({
      current: { id: last, name: 'atlas/fact-4' },
      warning:
        `superseded on ${today()}, and so was what replaced it; what stands today is ` +
        `atlas/fact-4 (${last}): read that instead`,
    })
    expect(await agent.call('memory_read', { id: fourth })).toMatchObject({
      replaced: ['atlas/fact-2'],
      current: { id: last, name: 'atlas/fact-4' },
      warning: `superseded by atlas/fact-4 (${last}) on ${today()}; read that instead`,
    })
    const standing = await agent.call('memory_read', { id: last })
    expect(standing).toMatchObject({ replaced: ['atlas/fact-3'] })
    expect(standing).not.toHaveProperty('current')
  })

  test('is nothing when the end was archived, which is said', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id: old } = await remember(agent, 'old')
    const { id: next } = await remember(agent, 'new', { supersedes: 'old' })
    await archive(house.app.kernel, NOBODY, next)

    const read = await agent.call('memory_read', { id: old })

    expect(read['warning']).toBe(
      `superseded on ${today()}; what stood in its place last, atlas/new (${next}), was archived on ${today()}`,
    )
    expect(read).not.toHaveProperty('current')
  })

  test('is withheld behind a fence, and found beyond one', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await house.inside('ledger', 'confidential')
    const { id: one } = await remember(agent, 'one')
    const { id: two } = await remember(agent, 'two', { supersedes: 'one' })
    const { id: three } = await remember(agent, 'three', { supersedes: 'two' })

    await moveRow(house, two, 'ledger')
    expect(await agent.call('memory_read', { id: one })).toMatchObject({
      current: { id: three, name: 'atlas/three' },
    })
    expect(await agent.call('memory_read', { id: three })).not.toHaveProperty('replaced')

    await moveRow(house, three, 'ledger')
    const read = await agent.call('memory_read', { id: one })
    expect(read['warning']).toBe(`superseded on ${today()}; no longer active`)
    expect(JSON.stringify(read)).not.toContain('three')
  })

  test('is not known when somebody made a circle by hand', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id: one } = await remember(agent, 'one')
    const { id: two } = await remember(agent, 'two', { supersedes: 'one' })
    const rows = house.app.database.db.updateTable('memories')
    await rows.set({ superseded_by: one, invalid_at: new Date() }).where('id', '=', two).execute()

    expect((await agent.call('memory_read', { id: one }))['warning']).toBe(
      `superseded on ${today()}; no longer active`,
    )
  })
})
