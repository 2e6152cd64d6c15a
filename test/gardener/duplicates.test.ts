import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { embeddingWorker } from '../../src/embeddings/embeddings.ts'
import { updateStatistics } from '../../src/passages/passages.ts'
import type { Agent } from '../helpers/agent.ts'
import { embedderOf, hashedWords } from '../helpers/embedders.ts'
import { garden } from '../helpers/garden.ts'
import { openHouse, type House } from '../helpers/house.ts'

const PORT = {
  kind: 'reference',
  description: 'The billing service listens on port 8081 in development',
  body: 'The development server of billing is started by make serve and listens on port 8081.',
}
const SAME_PORT = {
  kind: 'reference',
  description: 'In development the billing service listens on port 8081',
  body: 'Start billing by make serve; the development server then listens on port 8081.',
}

describe('the pass duplicates', () => {
  let house: House
  let agent: Agent
  beforeEach(async () => {
    house = await openHouse()
    agent = await house.connect()
    await agent.call('session_start', { name: 'harbor', project: 'atlas' })
    for (const [n, word] of ['tide', 'moon', 'sail', 'rope', 'mast', 'keel'].entries()) {
      await write(`about-${word}`, {
        kind: 'gotcha',
        description: `What the ${word} does on day ${n}`,
        body: `The ${word} was seen ${n + 3} times from the ${word} house.`,
      })
    }
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const write = (name: string, more: object) => agent.call('memory_write', { name, ...more })
  const run = async () => (await garden(house, 'duplicates'))['duplicates']
  const proposals = async (): Promise<any[]> =>
    (await agent.call('gardener_proposals', { kind: 'merge' })).proposals
  const pairs = async () =>
    (await proposals()).map(({ payload: { keep, drop } }) => `${drop.name} into ${keep.name}`)

  test('proposes to merge the older of two that say the same into the newer, and once', async () => {
    await write('billing-port', PORT)
    await write('port-of-billing', SAME_PORT)
    expect(await run()).toEqual({ proposed: 1, held_back: 0 })
    expect(await pairs()).toEqual(['billing-port into port-of-billing'])
    const [{ payload }] = (await proposals()) as [any]
    expect(payload.score).toBeGreaterThan(0.5)
    expect(payload.score).toBeLessThanOrEqual(1)
    expect(await run()).toEqual({ proposed: 0, held_back: 0 })
  })

  test('meets all memories of one moment, of which an import brings many, in several rounds', async () => {
    const { db } = house.app.kernel
    for (let n = 0; n < 20; n++) {
      await write(`early-${n}`, { kind: 'gotcha', description: `Buoy ${n}`, body: `Seen ${n}.` })
    }
    await write('billing-port', PORT)
    await write('port-of-billing', SAME_PORT)
    for (let n = 0; n < 20; n++) {
      await write(`late-${n}`, { kind: 'gotcha', description: `Quay ${n}`, body: `Built ${n}.` })
    }
    await db.updateTable('memories').set({ updated_at: new Date() }).execute()
    expect(await run()).toEqual({ proposed: 1, held_back: 0 })
    expect(await run()).toEqual({ proposed: 0, held_back: 0 })
  })

  test.each([
    [
      'with another value',
      'reference',
      {
        description: SAME_PORT.description.replace('8081', '9090'),
        body: SAME_PORT.body.replace('8081', '9090'),
      },
    ],
    [
      'for another place',
      'reference',
      {
        description: SAME_PORT.description.replace('development', 'production'),
        body: SAME_PORT.body.replace('development', 'production'),
      },
    ],
    ['that refutes it', 'refuted', {}],
    ['that links to it', 'reference', { body: `${SAME_PORT.body} Unlike [[billing-port]].` }],
  ])('lets a memory alone %s', async (_why, kind, more) => {
    await write('billing-port', PORT)
    await write('port-of-billing', { ...SAME_PORT, ...more, kind })
    expect(await run()).toEqual({ proposed: 0, held_back: 0 })
  })

  test('lets alone what holds in another project or behind a fence, and finds what holds everywhere', async () => {
    const elsewhere = await house.inside('delta', 'open')
    const inside = await house.inside('vault', 'confidential')
    await write('billing-port', PORT)
    await elsewhere.call('memory_write', { name: 'port-of-billing', ...SAME_PORT })
    await inside.call('memory_write', { name: 'port-of-billing', ...SAME_PORT })
    expect(await run()).toMatchObject({ proposed: 0 })
    await write('billing-everywhere', { ...SAME_PORT, project: 'global' })
    await run()
    expect((await pairs()).toSorted()).toEqual([
      'billing-port into billing-everywhere',
      'port-of-billing into billing-everywhere',
    ])
    await inside.call('memory_write', { name: 'billing-port', ...PORT })
    await run()
    const { proposals: own } = await inside.call('gardener_proposals', { kind: 'merge' })
    expect(own.map(({ payload }: any) => [payload.keep.project, payload.drop.project])).toEqual(
      expect.arrayContaining([['vault', 'vault']]),
    )
    expect(JSON.stringify(await proposals())).not.toContain('vault')
  })

  test('weighs what others may read without what a fenced project holds', async () => {
    const inside = await house.inside('vault', 'confidential')
    await write('billing-port', PORT)
    const longer = { ...SAME_PORT, body: `${SAME_PORT.body} The harbour ferry leaves at dawn.` }
    await write('port-of-billing', longer)
    const { kernel } = house.app
    let tags = 0
    const weigh = async () => {
      while ((await updateStatistics(kernel)) > 0);
      await run()
      const [{ id, payload }] = (await proposals()) as [any]
      await agent.call('gardener_apply', { id, action: 'dismiss' })
      await write('port-of-billing', { ...longer, tags: [`${tags++}`] })
      return payload.score
    }
    const before = await weigh()
    for (let n = 0; n < 60; n++) {
      const body = `The harbour ferry leaves at dawn, said step ${n}.`
      await inside.call('memory_write', { name: `step-${n}`, ...PORT, description: body, body })
    }
    expect(await weigh()).toBe(before)
  })

  test('drops nothing that holds everywhere for what holds in one project', async () => {
    await write('billing-everywhere', { ...SAME_PORT, project: 'global' })
    await write('billing-port', { ...PORT, kind: 'constraint' })
    await agent.call('favorite_set', { kind: 'memory', id: 'billing-port', favorite: true })
    expect(await run()).toMatchObject({ proposed: 0 })
  })

  test('keeps what is starred or binding, however old', async () => {
    await write('billing-port', { ...PORT, kind: 'constraint' })
    await write('port-of-billing', SAME_PORT)
    await run()
    expect(await pairs()).toEqual(['port-of-billing into billing-port'])
    const [{ id }] = (await proposals()) as [any]
    await agent.call('gardener_apply', { id, action: 'dismiss' })
    await agent.call('favorite_set', { kind: 'memory', id: 'port-of-billing', favorite: true })
    await write('port-of-billing', { ...SAME_PORT, tags: ['ports'] })
    await run()
    expect(await pairs()).toEqual(['billing-port into port-of-billing'])
  })

  test('proposes of three that say the same to drop two, each once', async () => {
    await write('billing-port', PORT)
    await write('port-of-billing', SAME_PORT)
    await write('billing-listens', { ...PORT, description: `${PORT.description}, always` })
    await run()
    expect((await pairs()).toSorted()).toEqual([
      'billing-port into billing-listens',
      'port-of-billing into billing-listens',
    ])
  })

  test.each([
    ['was deleted', (name: string) => agent.call('memory_delete', { name })],
    [
      'was archived',
      async (target: string) => {
        const { created } = await agent.call('gardener_request', {
          ...{ request: 'it is over', operations: [{ op: 'archive', target }] },
        })
        await agent.call('gardener_apply', { id: created[0] })
      },
    ],
  ])('finds another duplicate of a memory once the one that was to stay %s', async (_, end) => {
    await write('billing-port', PORT)
    await write('port-of-billing', SAME_PORT)
    await run()
    expect(await pairs()).toEqual(['billing-port into port-of-billing'])
    await end('port-of-billing')
    await write('billing-listens', SAME_PORT)
    expect(await run()).toEqual({ proposed: 1, held_back: 0 })
    expect(await pairs()).toContain('billing-port into billing-listens')
  })

  test('asks again about a pair that was dismissed only when one of the two was changed', async () => {
    await write('billing-port', PORT)
    await write('port-of-billing', SAME_PORT)
    await run()
    const [{ id }] = (await proposals()) as [any]
    await agent.call('gardener_apply', { id, action: 'dismiss' })
    expect(await run()).toMatchObject({ proposed: 0 })
    await write('billing-port', { ...PORT, tags: ['ports'] })
    expect(await run()).toMatchObject({ proposed: 1 })
  })

  test('holds back what is more than a person reads, and goes on there in the next run', async () => {
    for (let n = 0; n < 23; n++) {
      const texts = {
        kind: 'reference',
        description: `Service number${n}x${n} owns table${n}y${n}`,
      }
      const body = `Only service number${n}x${n} writes to table${n}y${n}, by the job job${n}z${n}.`
      await write(`table-${n}`, { ...texts, body })
      await write(`owner-${n}`, { ...texts, body })
    }
    expect(await run()).toMatchObject({ proposed: 20, left: expect.any(Number) })
    expect(await run()).toEqual({ proposed: 3, held_back: 0 })
  })

  test('begins when all that was written is counted: what is counted meanwhile would hide pairs', async () => {
    await write('billing-port', PORT)
    await write('port-of-billing', SAME_PORT)
    await run()
    expect(await updateStatistics(house.app.kernel)).toBe(0)
  })

  test('knows how rare a word is in a store that has been counted', async () => {
    await updateStatistics(house.app.kernel)
    await write('billing-port', PORT)
    await write('port-of-billing', SAME_PORT)
    expect(await run()).toMatchObject({ proposed: 1 })
  })

  test('finds by meaning what hardly shares a word, once its vector is made', async () => {
    const { kernel } = house.app
    const alike = await embedderOf(kernel.db, 'alike', (text) =>
      hashedWords(256)(/ledger|8081/.test(text) ? 'one and the same' : text),
    )
    // The house makes vectors too, whenever it comes to it: until the provider answers there are none.
    let answers = false
    const embed: typeof alike.embed = async (...asked) =>
      answers ? alike.embed(...asked) : { kind: 'unreachable', cause: 'it does not answer yet' }
    kernel.embedder = { ...alike, embed }
    await write('billing-port', PORT)
    await write('ledger-socket', {
      kind: 'reference',
      description: 'Locally the ledger answers at its usual socket',
      body: 'Whoever runs the invoicing component at home reaches it there.',
    })
    await run()
    expect(await pairs()).toEqual([])
    answers = true
    const worker = embeddingWorker()
    while (await worker(kernel)) {}
    await run()
    expect(await pairs()).toEqual(['billing-port into ledger-socket'])
  })
})
