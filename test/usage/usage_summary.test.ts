import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'

const memory = (agent: Agent, name: string, kind = 'gotcha', project?: string) =>
  agent.call('memory_write', {
    name,
    kind,
    description: `harbour words of ${name}`,
    body: `harbour words of ${name}`,
    ...(project && { project }),
  })

const usage = (agent: Agent) => agent.call('usage_summary')

/** Without what grows by the asking. */
const still = async (agent: Agent) => {
  const { eventsByKind, ...rest } = await usage(agent)
  const { 'tool.call': calls = 0, ...events } = eventsByKind as Record<string, number>
  expect(calls).toBeGreaterThanOrEqual(0)
  return { ...rest, eventsByKind: events }
}

describe('usage_summary', () => {
  test('of an empty store says that there is nothing', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    expect(await usage(agent)).toEqual({
      memories: { active: 0, byKind: {} },
      notes: 0,
      sessions: {},
      tasks: {},
      retrieval: {
        injections: 0,
        reads: 0,
        held: 0,
        savedTokens: 0,
        topInjected: [],
        topUtility: [],
        funnelBySurface: [],
      },
      gardenerPending: {},
      eventsByKind: {},
    })
    expect((await usage(agent))['eventsByKind']).toEqual({ 'tool.call': 1 })
  })

  test('counts what there is, what was shown and what was read, its caller’s last act included', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await memory(agent, 'tide', 'constraint', 'harbor')
    await memory(agent, 'ebb', 'gotcha', 'harbor')
    const gone = await memory(agent, 'gone', 'gotcha', 'harbor')
    await memory(agent, 'flow', 'gotcha', 'global')
    await agent.call('notes_create', { title: 'Report', body: 'b', project: 'harbor' })
    await agent.call('session_start', { project: 'harbor' })
    await agent.call('memory_read', { name: 'tide' })
    await agent.call('recall', { query: 'harbour words of ebb', limit: 1 })
    await agent.call('recall', { query: 'harbour words of ebb', explain: true })
    await agent.call('memory_delete', { name: 'gone' })

    const summary = await usage(agent)

    expect(summary).toMatchObject({
      memories: { active: 3, byKind: { constraint: 1, gotcha: 2 } },
      notes: 1,
      sessions: { active: 1 },
      tasks: {},
      retrieval: { injections: 5, reads: 1 },
      eventsByKind: { 'memory.written': 4, 'memory.read': 1, 'retrieval.injected': 3 },
    })
    const { topInjected, topUtility, funnelBySurface } = summary['retrieval']
    expect(topInjected.map(({ name, count }: any) => [name, count])).toEqual([
      ['ebb', 2],
      ['tide', 1],
      ['flow', 1],
    ])
    expect(topUtility).toMatchObject([
      { name: 'tide', score: 0.43 },
      { name: 'ebb', score: 0.27 },
    ])
    expect(funnelBySurface).toEqual([
      { surface: 'session-start', injections: 4, items: 4, itemsRead: 2, readRate: 50 },
    ])
    expect(JSON.stringify(summary)).not.toContain(gone['id'])
  })

  test('lists five memories at most, the most shown first', async () => {
    await using house = await openHouse()
    const agent = await house.inside('harbor')
    for (let n = 1; n <= 7; n++) await memory(agent, `m${n}`)
    for (let n = 1; n <= 7; n++) {
      for (let i = 0; i < n; i++) await agent.call('memory_read', { name: `m${n}` })
      for (let i = 0; i < n; i++) await agent.call('recall', { query: `m${n}`, limit: 1 })
    }
    const { topInjected, topUtility } = (await usage(agent))['retrieval']
    expect(topInjected.map(({ name }: any) => name)).toEqual(['m7', 'm6', 'm5', 'm4', 'm3'])
    // Once in a session, whatever the number of askings: the older first.
    expect(topUtility.map(({ name }: any) => name)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5'])
  })

  test('comes from what was counted as it happened: the log may be gone', async () => {
    await using house = await openHouse()
    const agent = await house.inside('harbor')
    await memory(agent, 'tide')
    await agent.call('memory_read', { name: 'tide' })
    await agent.call('recall', { query: 'harbour words' })
    const before = await still(agent)
    await sql`truncate events, event_items`.execute(house.app.kernel.db)
    expect(await still(agent)).toEqual(before)
  })

  test('is asked for by no parameter', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await expect(agent.call('usage_summary', { project: 'x' })).rejects.toThrow(
      'usage_summary: unknown parameter "project"',
    )
    expect(await agent.call('usage_summary', { session: await house.session('a') })).toBeTruthy()
  })
})

describe('between projects', () => {
  async function lived(house: House) {
    const agents = {
      atlas: await house.inside('atlas'),
      ledger: await house.inside('ledger', 'confidential'),
      crypt: await house.inside('crypt', 'sealed'),
    }
    await memory(agents.atlas, 'shared', 'constraint', 'global')
    for (const [name, agent] of Object.entries(agents)) {
      await memory(agent, `of-${name}`)
      await agent.call('notes_create', { title: `Of ${name}`, body: 'harbour' })
      await agent.call('memory_read', { name: `of-${name}` })
      await agent.call('recall', { query: 'harbour words' })
    }
    return agents
  }

  test('everybody’s figures are those of what they may read, and of who works there', async () => {
    await using house = await openHouse()
    const agents = await lived(house)
    const figures = async (agent: Agent) => {
      const { memories, notes, sessions, retrieval, eventsByKind } = await usage(agent)
      return {
        memories: memories.active,
        notes,
        sessions: sessions.active,
        reads: retrieval.reads,
        written: eventsByKind['memory.written'],
        names: retrieval.topUtility.map(({ name }: { name: string }) => name).toSorted(),
        shared: retrieval.topInjected.find(({ name }: any) => name === 'shared')?.count,
      }
    }
    expect(await figures(agents.atlas)).toEqual({
      memories: 2,
      notes: 1,
      sessions: 1,
      reads: 1,
      written: 2,
      names: ['of-atlas', 'shared'],
      shared: 1,
    })
    expect(await figures(agents.ledger)).toEqual({
      memories: 3,
      notes: 2,
      sessions: 2,
      reads: 2,
      written: 3,
      names: ['of-atlas', 'of-ledger', 'shared'],
      shared: 2,
    })
    expect(await figures(agents.crypt)).toEqual({
      memories: 1,
      notes: 1,
      sessions: 1,
      reads: 1,
      written: 1,
      names: ['of-crypt'],
      shared: undefined,
    })
  })

  test('what happens behind a fence changes no figure outside of it', async () => {
    await using house = await openHouse()
    const agents = await lived(house)
    const before = await still(agents.atlas)
    for (const project of ['ledger', 'crypt'] as const) {
      const agent = agents[project]
      await memory(agent, 'more', 'constraint')
      await agent.call('recall', { query: 'harbour words' })
      await agent.call('memory_read', { name: 'more' })
      await agent.call('session_start', { project })
    }
    await agents.ledger.call('memory_read', { name: 'shared' })
    const { eventsByKind, ...after } = await still(agents.atlas)
    const { eventsByKind: events, ...rest } = before
    expect(after).toEqual(rest)
    // What is read is known where it lies: the one act of theirs upon what is everybody's.
    expect(eventsByKind).toEqual({ ...events, 'memory.read': events['memory.read']! + 1 })
  })
})
