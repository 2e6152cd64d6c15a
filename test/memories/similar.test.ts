import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { embeddingWorker, learnAgain } from '../../src/embeddings/embeddings.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { archive } from '../../src/memories/memories.ts'
import type { Agent } from '../helpers/agent.ts'
import { listLearned } from '../../src/embeddings/learned/models.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { openProvider } from '../helpers/provider.ts'
import { stock } from '../helpers/subjects.ts'
import { remember } from './given.ts'

const provider = await openProvider({ dims: 256 })
afterAll(() => provider.close())
beforeEach(() => {
  provider.fault = undefined
})

/** Everything that was written, as the background would read it. */
const work = embeddingWorker({ deadlineMs: 20_000, attempts: 1 })
async function read(house: House): Promise<void> {
  while ((await work(house.app.kernel)) > 0);
}

const SAYS = 'orders worker compares dates in server time so run it with utc always'
/** Few words beside the description, so that it alone decides. */
const says = (agent: Agent, name: string, more: Record<string, unknown> = {}) =>
  remember(agent, name, { description: SAYS, body: 'utc', ...more })

describe('a new memory that says nearly what another says', () => {
  test('is written, and the answer names the other one', async () => {
    await using house = await openHouse({ env: provider.env })
    const agent = await house.connect()
    const first = await says(agent, 'orders')
    expect(first).not.toHaveProperty('similar')
    await read(house)

    const answer = await says(agent, 'dates', { kind: 'decision' })

    expect(answer).toMatchObject({
      updated: false,
      similar: { name: 'orders', description: SAYS, score: expect.any(Number) },
    })
    expect(answer['similar'].score).toBeGreaterThanOrEqual(0.83)
    expect(answer['similar'].score).toBeLessThanOrEqual(1)
    await read(house)
    expect(await says(agent, 'dates')).not.toHaveProperty('similar')
    expect(
      await remember(agent, 'bread', { description: 'flour water salt', body: 'knead' }),
    ).not.toHaveProperty('similar')
  })

  test('is compared with active memories of the project and of global, and with no others', async () => {
    await using house = await openHouse({ env: provider.env })
    const agent = await house.connect()
    await says(agent, 'elsewhere', { project: 'delta' })
    const { id } = await says(agent, 'retired')
    await read(house)
    await archive(house.app.kernel, NOBODY, id)
    expect(await says(agent, 'first')).not.toHaveProperty('similar')
    await agent.call('memory_delete', { name: 'first', project: 'atlas' })

    await says(agent, 'everywhere', { project: 'global' })
    await read(house)

    expect((await says(agent, 'second'))['similar']).toMatchObject({ name: 'everywhere' })
    const sealed = await house.inside('crypt', 'sealed')
    expect(await says(sealed, 'third', { project: 'crypt' })).not.toHaveProperty('similar')
  })

  test('is looked for once: one that is rewritten asks no provider', async () => {
    await using house = await openHouse({ env: provider.env })
    const agent = await house.connect()
    await says(agent, 'orders')
    await read(house)
    provider.requests.length = 0
    expect(await says(agent, 'orders', { body: 'utc, always' })).toMatchObject({ updated: true })
    expect(provider.requests).toEqual([])
    await says(agent, 'dates')
    expect(provider.requests).toHaveLength(1)
  })

  test('tells a caller outside of a confidential project nothing of what lies there', async () => {
    await using house = await openHouse({ env: provider.env })
    const inside = await house.inside('ledger', 'confidential')
    await says(inside, 'orders', { project: 'ledger' })
    await read(house)
    const outside = await house.connect()

    const answer = await says(outside, 'dates', { project: 'ledger' })

    expect(answer).not.toHaveProperty('similar')
    expect(answer['withheld'].fields).toEqual(['similar'])
  })
})

describe('with a model that was learned of the store', () => {
  /** A house with a memory of the tide. */
  async function openLearned() {
    const house = await openHouse()
    const agent = await house.connect()
    await agent.call('project_create', { name: 'Atlas' })
    await stock(agent)
    // The service may be learning already by itself.
    await learnAgain(house.app.kernel)
    const { db } = house.app.database
    await expect
      .poll(async () => (await listLearned(db)).map(({ state }) => state))
      .toEqual(['serving'])
    await tide(agent, 'tide')
    return { house, agent }
  }
  const TIDE = 'harbour tide pier, ferry anchor quay'
  const tide = (agent: Agent, name: string) =>
    remember(agent, name, { description: TIDE, body: TIDE })

  test('the answer names the other one, and not the one that is written', async () => {
    const { house, agent } = await openLearned()
    await using _ = house

    expect((await tide(agent, 'ebb'))['similar']).toMatchObject({ name: 'tide', description: TIDE })
    const bread = 'oven yeast flour, dough crust bakery'
    expect(await remember(agent, 'bread', { description: bread, body: bread })).not.toHaveProperty(
      'similar',
    )
    const all = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => tide(agent, name)))
    for (const { name, similar } of all) expect(similar.name).not.toBe(name)
    expect(await tide(agent, 'ebb')).not.toHaveProperty('similar')
  })

  test('the answer names the other one in a store of many passages, too', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    const { db } = house.app.database
    for (const passages of [20_000, 2_000_000]) {
      await sql`update passage_totals set passages = ${passages}`.execute(db)
      const { similar } = await tide(agent, `ebb-of-${passages}`)
      expect(similar, `${passages} passages`).toMatchObject({ description: TIDE })
    }
  })

  test('a look that fails leaves the write whole, and out the hint', async () => {
    const { house, agent } = await openLearned()
    await using _ = house
    const { db } = house.app.database
    // Nothing but looks through a scope reads it while a memory is written.
    await sql`alter table passage_totals rename to passage_totals_gone`.execute(db)

    const answers = await Promise.all(['ebb', 'flood'].map((name) => tide(agent, name)))

    await sql`alter table passage_totals_gone rename to passage_totals`.execute(db)
    for (const answer of answers) {
      expect(answer).not.toHaveProperty('similar')
      const { name } = answer
      expect(await house.events('memory.written')).toContainEqual(
        expect.objectContaining({ payload: expect.objectContaining({ name }) }),
      )
      expect(await house.files()).toContain(`memory/atlas/${name}.md`)
    }
    expect((await tide(agent, 'late'))['similar']).toBeDefined()
  })
})

describe('28: the duplicate hint swallows every trouble with embeddings', () => {
  test.each([
    ['a provider that is down', { status: 503 }],
    ['a wrong key', { status: 401 }],
    ['an answer that is none', { body: '{"data":' }],
    ['vectors of another length', { dims: 7 }],
    ['a slow one, after a second', { delay: 5_000 }],
  ])('%s', async (_, fault) => {
    await using house = await openHouse({ env: provider.env })
    const agent = await house.connect()
    await says(agent, 'orders')
    await read(house)
    provider.fault = fault

    const answer = await says(agent, 'dates')

    expect(answer).toEqual({
      id: expect.any(String),
      name: 'dates',
      project: 'atlas',
      updated: false,
    })
  })

  test('the owner switched them off', async () => {
    await using house = await openHouse({
      env: { ...provider.env, LOAM_EMBEDDINGS_PROVIDER: 'off' },
    })
    const agent = await house.connect()
    provider.requests.length = 0

    expect(await says(agent, 'dates')).not.toHaveProperty('similar')
    expect(provider.requests).toEqual([])
  })
})
