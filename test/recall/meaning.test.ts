import { describe, expect, test } from 'vitest'
import { embeddingWorker } from '../../src/embeddings/embeddings.ts'
import type { Embedder } from '../../src/kernel/embedder.ts'
import type { Agent } from '../helpers/agent.ts'
import { embedderOf, hashedWords } from '../helpers/embedders.ts'
import { openHouse, type House } from '../helpers/house.ts'

const NOTES = {
  'Tide cache': 'The cache of the tide is dropped by age, and it is not about size.',
  Lantern: 'Brass lanterns hang in the depot.',
}

/** With an embedder that is asked within the process, and so is never late. */
async function openStocked(): Promise<{ house: House; agent: Agent }> {
  const house = await openHouse({ env: {} })
  const { kernel } = house.app
  kernel.embedder = await embedderOf(kernel.db, 'words', hashedWords(256))
  const agent = await house.connect()
  for (const [title, body] of Object.entries(NOTES)) {
    await agent.call('notes_create', { title, body, project: 'atlas' })
  }
  await agent.call('memory_write', {
    name: 'oil',
    kind: 'gotcha',
    description: 'It is what it is, by the depot',
    body: 'x',
    project: 'atlas',
  })
  await read(house)
  return { house, agent }
}

/** Until every passage has its vector. */
async function read({ app: { kernel } }: House): Promise<void> {
  const work = embeddingWorker()
  const missing = async (): Promise<boolean> => {
    const { n } = await kernel.db
      .selectFrom('embedding_queue')
      .select(({ fn }) => fn.countAll<string>().as('n'))
      .executeTakeFirstOrThrow()
    return Number(n) > 0
  }
  while (await missing()) await work(kernel)
}

interface Hit {
  title: string
  kind: string
  source: string
}

describe('recall by meaning', () => {
  test('says which retriever found what', async () => {
    const { house, agent } = await openStocked()
    await using _ = house
    const ask = async (query: string, over: object = {}): Promise<Hit[]> => {
      const answer = await agent.call('recall', { query, project: 'atlas', ...over })
      expect(answer).not.toHaveProperty('degraded')
      return answer.hits as Hit[]
    }
    const [best] = await ask('tide cache dropped by age')
    expect(best).toMatchObject({ title: 'Tide cache', source: 'fused' })
    // Words that everything has say nothing to the retriever by words.
    const vague = await ask('it is not about the')
    expect(vague[0]).toMatchObject({ title: 'Tide cache', source: 'semantic' })
    const memories = await ask('it is not about the', { scope: 'memories' })
    expect(memories.map(({ kind }) => kind)).toEqual(['memory'])
    expect(await ask('it is not about the', { kind: 'constraint' })).toEqual([])
  })

  test('explains the place by meaning', async () => {
    const { house, agent } = await openStocked()
    await using _ = house
    const question = { query: 'brass lanterns', project: 'atlas', explain: true }
    const { hits } = await agent.call('recall', question)
    expect(hits[0]).toMatchObject({
      title: 'Lantern',
      explain: { words: { rank: 1 }, meaning: { rank: 1, similarity: expect.any(Number) } },
    })
  })

  test('believes what is near in meaning alone', async () => {
    const { house, agent } = await openStocked()
    await using _ = house
    const judged = async (query: string): Promise<unknown> =>
      (await agent.call('recall', { query, project: 'atlas' })).evidence
    // None of these is a word to the other retriever.
    expect(await judged('it is not about the')).toBe('strong')
    expect(await judged('whom is the')).toBe('weak')
    expect(await judged('whom would they')).toBe('none')
  })

  test('measures a model on what no fence hides', async () => {
    const scores = async (hidden: number): Promise<number[]> => {
      const { house, agent } = await openStocked()
      await using _ = house
      const words = Array.from({ length: 12 }, (_, n) => `open${n}`)
      for (const name of words) await agent.call('memory_write', about(name, 'atlas'))
      const insider = await house.inside('ledger', 'confidential')
      for (let n = 0; n < hidden; n++) {
        // All of it nearly the same: to this model texts would seem alike by nature.
        await insider.call(
          'memory_write',
          about(`hidden${n}`, 'ledger', 'what it is by the same depot'),
        )
      }
      await read(house)
      const query = NOTES['Tide cache']
      const { hits } = await agent.call('recall', { query, project: 'atlas' })
      return (hits as { score: number }[]).map(({ score }) => score)
    }
    const about = (name: string, project: string, body = `${name} stands alone here`) => ({
      ...{ name, project, body },
      ...{ kind: 'gotcha', description: `${name} ${body}` },
    })
    expect(await scores(15)).toEqual(await scores(0))
  })

  test('looks at the meaning of an earlier time too', async () => {
    const { house, agent } = await openStocked()
    await using _ = house
    const then = new Date().toISOString()
    await new Promise((resolve) => setTimeout(resolve, 5))
    const newer = { kind: 'gotcha', description: 'y', body: 'y', project: 'atlas' }
    await agent.call('memory_write', { ...newer, name: 'lamp', supersedes: 'oil' })
    await read(house)
    const found = async (as_of?: string): Promise<string[]> => {
      const question = { query: 'what it is', scope: 'memories', project: 'atlas' }
      const { hits } = await agent.call('recall', { ...question, ...(as_of && { as_of }) })
      return (hits as Hit[]).map(({ title }) => title)
    }
    expect(await found()).not.toContain('oil')
    expect(await found(then)).toEqual(['oil'])
  })

  test('answers by words while the provider is in trouble, and says why', async () => {
    const { house, agent } = await openStocked()
    await using _ = house
    const { kernel } = house.app
    const { embedder } = kernel
    const question = { query: 'brass lanterns', project: 'atlas' }
    const cause = 'the embedding provider refuses the key (status 401)'
    kernel.embedder = { ...embedder, embed: async () => ({ kind: 'auth', cause }) }
    expect(await agent.call('recall', question)).toMatchObject({
      hits: [{ title: 'Lantern', source: 'fts' }],
      degraded: cause,
    })
    kernel.embedder = embedder
    const again = await agent.call('recall', question)
    expect(again.hits[0]).toMatchObject({ title: 'Lantern', source: 'fused' })
    expect(again).not.toHaveProperty('degraded')
  })

  test.each([
    ['says that the configured provider cannot be asked', true, 'half of it is configured'],
    ['is silent where none is configured', false, undefined],
  ])('%s', async (_what, misconfigured, degraded) => {
    const { house, agent } = await openStocked()
    await using _ = house
    const cause = 'half of it is configured'
    const state = { on: false as const, cause, misconfigured, chosen: false }
    const off: Embedder = {
      ...house.app.kernel.embedder,
      state: () => state,
      look: async () => state,
    }
    house.app.kernel.embedder = off
    const answer = await agent.call('recall', { query: 'brass lanterns', project: 'atlas' })
    expect(answer.hits).toMatchObject([{ title: 'Lantern', source: 'fts' }])
    expect(answer.degraded).toBe(degraded)
  })
})
