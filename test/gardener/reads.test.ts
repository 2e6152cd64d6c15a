import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  applyProposal,
  PROPOSAL_KINDS,
  readCard,
  readDecided,
  readHidden,
  readQueue,
  readRuns,
  SECTIONS,
  sectionOf,
  undoProposal,
  unhideProposal,
} from '../../src/gardener/gardener.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { ownerScope } from '../../src/projects/projects.ts'
import type { Agent } from '../helpers/agent.ts'
import { garden } from '../helpers/garden.ts'
import { openHouse, type House } from '../helpers/house.ts'

describe('what the owner sees of the gardener', () => {
  let house: House
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    for (const name of ['tides', 'sails', 'web-fonts']) {
      await agent.call('memory_write', {
        ...{ name, kind: 'gotcha', description: `About ${name}`, body: `What ${name} says` },
      })
    }
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const owner = ownerScope()
  const kernel = () => house.app.kernel
  const ask = async (operation: object): Promise<string> => {
    const { created } = await agent.call('gardener_request', {
      ...{ request: 'tidy up', operations: [operation] },
    })
    return created[0]
  }
  const queue = (more: object = {}) => readQueue(kernel(), owner, { limit: 50, ...more })
  const idsOf = (cards: readonly { proposal: { id: string } }[]) =>
    cards.map(({ proposal }) => proposal.id)

  test('every kind stands in one section of the queue', () => {
    expect(Object.values(SECTIONS).flat().toSorted()).toEqual([...PROPOSAL_KINDS].toSorted())
    for (const kind of PROPOSAL_KINDS) expect(SECTIONS[sectionOf(kind)]).toContain(kind)
  })

  test('the queue tells what waits, newest first, with its items as they are now', async () => {
    const first = await ask({ op: 'archive', target: 'tides' })
    const second = await ask({ op: 'rekind', target: 'sails', to: 'constraint' })
    await agent.call('memory_write', {
      ...{ name: 'tides', kind: 'gotcha', description: 'Told anew', body: 'New' },
    })
    const { cards, ...counts } = await queue()
    expect(idsOf(cards)).toEqual([second, first])
    expect(cards[1]).toMatchObject({
      items: [{ name: 'tides', project: 'atlas', description: 'Told anew', active: true }],
      fenced: false,
    })
    expect(counts).toEqual({
      pending: 2,
      requested: 2,
      sections: { split: 0, errors: 0, cleanup: 2, plans: 0, digests: 0 },
    })
    expect((await queue({ origin: 'pass' })).cards).toEqual([])
    expect(idsOf((await queue({ section: 'cleanup', limit: 1 })).cards)).toEqual([second])
  })

  test('what belongs to a split stands together, its projects first', async () => {
    await agent.call('gardener_split', {
      ...{ source: 'atlas', children: [{ slug: 'web' }, { slug: 'sea' }] },
    })
    const other = await ask({ op: 'archive', target: 'tides' })
    const { cards, sections } = await queue({ section: 'split' })
    expect(cards.map(({ proposal }) => proposal.kind)).toEqual([
      ...['split', 'reproject', 'reproject', 'reproject'],
    ])
    expect(sections).toMatchObject({ split: 4, cleanup: 1 })
    expect(idsOf((await queue({ section: 'cleanup' })).cards)).toEqual([other])
  })

  test('a card is marked once a project that it touches is fenced', async () => {
    const id = await ask({ op: 'archive', target: 'tides' })
    const { db } = house.app.database
    await db
      .updateTable('projects')
      .set({ isolation: 'sealed' })
      .where('slug', '=', 'atlas')
      .execute()
    expect(await readCard(kernel(), owner, id)).toMatchObject({ fenced: true })
    expect(await readCard(kernel(), owner, '01K9ZC4T7Q8V2M5N6P3R1S0WXY')).toBeUndefined()
  })

  test('what was decided last tells whether it can be taken back', async () => {
    const archived = await ask({ op: 'archive', target: 'tides' })
    const dismissed = await ask({ op: 'archive', target: 'sails' })
    const one = await ask({
      ...{ op: 'consolidate', sources: ['sails', 'web-fonts'], name: 'all', body: 'All of it' },
    })
    await applyProposal(kernel(), NOBODY, archived)
    await agent.call('gardener_apply', { id: dismissed, action: 'dismiss' })
    await applyProposal(kernel(), NOBODY, one)
    const decided = async () =>
      (await readDecided(kernel(), owner)).decided.map(({ proposal, undo }) => [proposal.id, undo])
    expect(await decided()).toEqual([
      [one, 'final'],
      [dismissed, 'possible'],
      [archived, 'possible'],
    ])
    await expect(undoProposal(kernel(), NOBODY, one)).rejects.toThrow('is final')
    await agent.call('memory_delete', { name: 'tides' })
    expect((await decided()).at(-1)).toEqual([archived, 'changed since'])
    await expect(undoProposal(kernel(), NOBODY, archived)).rejects.toThrow('was removed after')
  })

  test('what is hidden is listed until the block is lifted, and may be proposed again then', async () => {
    const id = await ask({ op: 'archive', target: 'tides' })
    await agent.call('gardener_apply', { id, action: 'hide' })
    expect(idsOf((await readHidden(kernel(), owner)).hidden)).toEqual([id])
    expect(await ask({ op: 'archive', target: 'tides' })).toBeUndefined()
    await unhideProposal(kernel(), NOBODY, id)
    expect(await readHidden(kernel(), owner)).toEqual({ hidden: [], total: 0 })
    await expect(unhideProposal(kernel(), NOBODY, id)).rejects.toThrow('is not hidden')
    expect(await ask({ op: 'archive', target: 'tides' })).toEqual(expect.any(String))
  })

  test('a decision that is taken back is open again, unless the same was proposed meanwhile', async () => {
    const id = await ask({ op: 'archive', target: 'tides' })
    await expect(undoProposal(kernel(), NOBODY, id)).rejects.toThrow('is pending')
    await agent.call('gardener_apply', { id, action: 'dismiss' })
    await undoProposal(kernel(), NOBODY, id)
    expect(idsOf((await queue()).cards)).toEqual([id])
    await agent.call('gardener_apply', { id, action: 'dismiss' })
    const again = await ask({ op: 'archive', target: 'tides' })
    await expect(undoProposal(kernel(), NOBODY, id)).rejects.toThrow(
      `the same was proposed again as ${again}`,
    )
  })

  test('the last runs are remembered, with what each pass came to', async () => {
    await garden(house)
    await garden(house, 'staleness')
    const runs = await readRuns(kernel(), owner, 5)
    expect(runs.map(({ passes }) => passes.length)).toEqual([1, 8])
    expect(runs[0]!.passes[0]).toMatchObject({ pass: 'staleness', proposed: 0, held_back: 0 })
    expect(runs[0]!.ended_at.getTime()).toBeGreaterThanOrEqual(runs[0]!.started_at.getTime())
  })
})
