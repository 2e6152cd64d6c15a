import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keptAnswers } from '../../src/console/kept-answers.ts'
import { putSetting } from '../../src/kernel/settings.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'

/** As many events of a day as the feed counts. */
async function volumeOfDay(owner: ReturnType<typeof ownerOf>): Promise<number> {
  const { body } = await owner.json('/console/interactions?volume=86400')
  return (body['volume'] as { n: number }[]).reduce((sum, { n }) => sum + n, 0)
}

describe('figures that stand', () => {
  let house: House
  let asked: number
  beforeEach(async () => {
    house = await openHouse()
    asked = 0
  })
  afterEach(() => house[Symbol.asyncDispose]())

  const ask = (given: object = {}): Promise<number> =>
    keptAnswers(house.app.kernel.db)('how many', given, async () => ++asked)

  /** Until nobody writes what figures count: a service tells its statistics by itself. */
  async function settled(given?: object): Promise<number> {
    for (let tries = 0; tries < 500; tries++) {
      const first = await ask(given)
      if ((await ask(given)) === first) return first
      await sleep(10)
    }
    throw new Error('no answer stood')
  }

  test('are asked for once while nothing happens, and each question by itself', async () => {
    const first = await settled({ w: '7d', since: new Date(0) })
    expect(await settled({ w: '30d', since: new Date(0) })).toBeGreaterThan(first)
    expect(await settled({ w: '7d', since: new Date(1) })).toBeGreaterThan(first)
  })

  const about = { kind: 'gotcha', description: 'of the tide', body: 'quokka', project: 'atlas' }
  test.each([
    ['a memory is written', (agent) => agent.call('memory_write', { name: 'tide', ...about })],
    [
      'a note is written',
      (agent) => agent.call('notes_create', { title: 'Ebb', body: 'low', project: 'atlas' }),
    ],
    [
      'a task is added',
      (agent) => agent.call('tasks_add', { title: 'Sound it', project: 'atlas' }),
    ],
    ['something is shown', (agent) => agent.call('recall', { query: 'quokka' })],
  ] satisfies [string, (agent: Awaited<ReturnType<House['connect']>>) => Promise<unknown>][])(
    'are asked for again when %s',
    async (_, act) => {
      const agent = await house.connect()
      await agent.call('memory_write', { name: 'reef', ...about })
      await house.app.kernel.telemetry.flush()
      const before = await settled()
      await act(agent)
      await house.app.kernel.telemetry.flush()
      expect(await ask()).toBeGreaterThan(before)
    },
  )

  // The embedded database does one transaction at a time: nobody asks while somebody writes.
  test.runIf(process.env['LOAM_TEST_DATABASE_URL'])(
    'are not kept while somebody writes what they count',
    async () => {
      const { kernel } = house.app
      const agent = await house.connect()
      await agent.call('memory_write', { name: 'reef', ...about })
      await kernel.telemetry.flush()
      const count = () =>
        keptAnswers(kernel.db)('which', {}, async () => {
          asked++
          return (await kernel.db.selectFrom('memories').select('description').execute())[0]!
        })
      await settled()
      await inTransaction(kernel, async ({ db }) => {
        await db.updateTable('memories').set({ description: 'of the ebb' }).execute()
        const before = asked
        for (let looks = 1; looks <= 3; looks++) {
          expect(await count()).toEqual({ description: 'of the tide' })
          expect(asked).toBe(before + looks)
        }
      })
      expect(await count()).toEqual({ description: 'of the ebb' })
    },
  )

  test.runIf(process.env['LOAM_TEST_DATABASE_URL'])(
    'are kept while somebody writes what they do not count',
    async () => {
      const { kernel } = house.app
      const before = await settled()
      await inTransaction(kernel, async ({ db }) => {
        await putSetting(db, 'quokka', true)
        expect(await settled()).toBe(before)
      })
    },
  )

  test('are asked for again when that failed', async () => {
    const fail = () =>
      keptAnswers(house.app.kernel.db)('which', {}, async () => {
        asked++
        throw new Error('no')
      })
    await expect(fail()).rejects.toThrow('no')
    await expect(fail()).rejects.toThrow('no')
    expect(asked).toBe(2)
  })

  test('are what the pages say at once, whatever was asked before', async () => {
    const owner = ownerOf(house)
    const agent = await house.connect()
    let before = 0
    for (let written = 1; written <= 4; written++) {
      await agent.call('memory_write', { name: `tide-${written}`, ...about })
      await house.app.kernel.telemetry.flush()
      for (let looks = 0; looks < 2; looks++) {
        const { body: overview } = await owner.json('/console/')
        const { body: retrieval } = await owner.json('/console/retrieval')
        const { body: projects } = await owner.json('/console/projects')
        expect(overview).toMatchObject({ memories: written })
        expect(retrieval).toMatchObject({ activeMemories: written, createdInWindow: written })
        expect(JSON.stringify(projects)).toContain(`"memories":${written}`)
      }
      const [first, second] = [await volumeOfDay(owner), await volumeOfDay(owner)]
      expect(first).toBeGreaterThan(before)
      expect(second).toBe(first)
      before = first
    }
  })
})
