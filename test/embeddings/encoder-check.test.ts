import { describe, expect, test } from 'vitest'
import { statusLines } from '../../src/cli/operator/embeddings/status-lines.ts'
import {
  checkedStatus,
  embeddingStatus,
  likenessOf,
  reembed,
} from '../../src/embeddings/embeddings.ts'
import { ownerOf } from '../console/owner.ts'
import type { Embedder } from '../../src/kernel/embedder.ts'
import type { Agent } from '../helpers/agent.ts'
import { atRandom, unit } from '../helpers/embedders.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { openProvider, wordVector, type FakeProvider } from '../helpers/provider.ts'

const DIMS = 128
const NOTES = 320
const SENTENCES = 4
const patient = { timeout: 90_000, interval: 200 }

/** Words that nobody uses, by their number. */
const wordOf = (n: number): string =>
  [n % 19, Math.floor(n / 19) % 19, Math.floor(n / 361) % 19]
    .map((part) => `${'bcdfghjklmnprstvwxz'[part]}${'aeiou'[(part + n) % 5]}`)
    .join('')

/** Sentences of one note share words with those of others, and none has the words of another sentence of its own note. */
const sentenceOf = (note: number, nth: number): string => {
  const words = Array.from({ length: 7 }, (_, i) =>
    wordOf(((note * SENTENCES + nth) * 5 + i * 389) % 6_007),
  )
  return `The ${words.slice(0, 4).join(' ')} of the ${words.slice(4).join(' ')} was seen.`
}
/** A sentence alone is asked by the check and by nobody else. */
const SENTENCE = /^The .{20,90} was seen\.$/
const bodyOf = (note: number): string =>
  Array.from({ length: SENTENCES }, (_, nth) => sentenceOf(note, nth)).join(' ')

/** A question in words that stand nowhere in the store. */
const questionOf = (note: number): string => `unsaid${note}q what about it`

/** Knows which note a text is of, and what a question is about; a part of it is the text's own words. */
function understanding(): (text: string) => number[] {
  const random = atRandom(DIMS)
  const own = new Map<string, number>()
  for (let note = 0; note < NOTES; note++) {
    own.set(questionOf(note), note)
    for (let nth = 0; nth < SENTENCES; nth++) own.set(sentenceOf(note, nth), note)
  }
  return (text) => {
    const known = own.get(text) ?? [...own].find(([sentence]) => text.includes(sentence))?.[1]
    const words = unit(wordVector('words ', text, DIMS))
    if (known === undefined) return words
    return unit(random(`note ${known}`)).map((part, i) => 2 * part + words[i]!)
  }
}

async function openChecked(read?: FakeProvider['read']) {
  const provider = await openProvider({ dims: DIMS })
  provider.read = read
  const house = await openHouse({ env: provider.env })
  const agent = await house.connect()
  await agent.call('project_create', { name: 'Atlas' })
  await write(agent, 0, NOTES)
  return {
    ...{ house, agent, provider },
    async [Symbol.asyncDispose]() {
      await house[Symbol.asyncDispose]()
      await provider.close()
    },
  }
}

async function write(agent: Agent, from: number, to: number): Promise<void> {
  const notes = Array.from({ length: to - from }, (_, i) => from + i).values()
  const one = async () => {
    for (const note of notes)
      await agent.call('notes_create', {
        ...{ title: `Note ${wordOf(note)}`, body: bodyOf(note), project: 'atlas' },
      })
  }
  await Promise.all(Array.from({ length: 8 }, one))
}

/** What the check found, once there is one. */
async function checkOf({ app: { kernel } }: House, passages = 0) {
  await expect
    .poll(async () => ((await checkedStatus(kernel))?.passages ?? 0) > passages, patient)
    .toBe(true)
  return (await checkedStatus(kernel))!
}

const titles = async (agent: Agent, query: string): Promise<string[]> => {
  const { hits } = await agent.call('recall', { query, project: 'atlas' })
  return (hits as { title: string }[]).map(({ title }) => title)
}

describe('a configured model that has read the whole store', () => {
  test('is trusted as far as it finds what its own sentences are of, and says how well it did', async () => {
    await using at = await openChecked(understanding())
    const { house, agent } = at
    const checked = await checkOf(house)
    expect(checked.weight).toBeGreaterThanOrEqual(0.5)
    expect(checked.questions).toBeGreaterThan(40)
    expect(checked.fused).toBeGreaterThan(checked.words + 0.03)
    // No word of the question stands anywhere.
    await expect
      .poll(async () => (await titles(agent, questionOf(17)))[0], patient)
      .toBe(`Note ${wordOf(17)}`)

    const { kernel } = house.app
    const lines = [...statusLines({ ...(await embeddingStatus(kernel)), checked })]
    expect(lines[1]).toMatch(
      /^checked on 3\d\d passages, answering since 2\S+, at weight 0\.\d+: of \d+ questions/,
    )
    // What calls two texts nearly the same is told on the scale of the model.
    const likeness = (await likenessOf(kernel))!
    expect(likeness.similarity(likeness.cosine(0.88))).toBeCloseTo(0.88)
    expect([-1, 1].map(likeness.similarity)).toEqual([0, 1])

    const { text } = await ownerOf(house).get('/console/settings')
    expect(text).toMatch(/Checked<\/dt><dd>on 3\d\d passages/)
  })

  test('is checked anew when all vectors were made again', async () => {
    await using at = await openChecked(understanding())
    const { house, provider } = at
    const { kernel } = house.app
    expect((await checkOf(house)).weight).toBeGreaterThan(0)
    provider.read = atRandom(DIMS)
    await reembed(kernel)
    await expect.poll(async () => (await checkedStatus(kernel))?.weight, patient).toBe(0)
  })

  test('counts nothing beside the words when it says nothing of the texts', async () => {
    const random = atRandom(DIMS)
    const isOfOne = (text: string) => text === questionOf(250) || text.includes(sentenceOf(250, 0))
    await using at = await openChecked((text) => random(isOfOne(text) ? 'one' : text))
    const { house, agent } = at
    expect(await checkOf(house)).toMatchObject({ weight: 0 })
    expect((await titles(agent, sentenceOf(30, 1)))[0]).toBe(`Note ${wordOf(30)}`)
    // What it alone has found stands by how near it is.
    expect((await titles(agent, questionOf(250)))[0]).toBe(`Note ${wordOf(250)}`)
  })

  test('counts by how far apart it finds texts where short ones give no sentence to ask', async () => {
    await using provider = await openProvider({ dims: DIMS })
    const random = atRandom(DIMS)
    // A few subjects, which it tells apart.
    provider.read = (text) => {
      const [subject, own] = [random(`subject ${text.charCodeAt(5) % 3}`), random(text)]
      return unit(subject).map((part, i) => part + unit(own)[i]!)
    }
    await using house = await openHouse({ env: provider.env })
    const agent = await house.connect()
    await agent.call('project_create', { name: 'Atlas' })
    for (let note = 0; note < NOTES; note++)
      await agent.call('notes_create', {
        ...{ title: `Note ${wordOf(note)}`, body: sentenceOf(note, 0), project: 'atlas' },
      })
    const checked = await checkOf(house)
    expect(checked).toMatchObject({ questions: 0 })
    expect(checked.weight).toBeGreaterThan(0)
    expect(checked.weight).toBeLessThanOrEqual(0.3)
    const { kernel } = house.app
    const [, line] = statusLines({ ...(await embeddingStatus(kernel)), checked })
    expect(line).toContain('could not be tried')
  })

  test('is checked once, and again when the store has grown by half', async () => {
    await using at = await openChecked()
    const { house, agent, provider } = at
    const { passages } = await checkOf(house)
    const asked = provider.requests.length
    await write(agent, NOTES, NOTES + 20)
    await expect
      .poll(async () => (await embeddingStatus(house.app.kernel)).missing, patient)
      .toBe(0)
    expect((await checkedStatus(house.app.kernel))!.passages).toBe(passages)
    expect(provider.requests.length - asked).toBeLessThanOrEqual(20)

    await write(agent, NOTES + 20, NOTES + 170)
    expect((await checkOf(house, passages)).passages).toBeGreaterThanOrEqual(1.5 * passages)
  })

  test('is checked on what no fence hides: nothing else is asked, and nothing of it is sent again', async () => {
    await using provider = await openProvider({ dims: DIMS })
    // It has not read the whole store before the whole store was written.
    const written = Promise.withResolvers<void>()
    provider.fault = { meanwhile: () => written.promise }
    await using house = await openHouse({ env: provider.env })
    const agent = await house.connect()
    await agent.call('project_create', { name: 'Vault', isolation: 'sealed' })
    const { session_id: session } = await agent.call('session_start', {
      name: 'in',
      project: 'vault',
    })
    for (let note = 0; note < 30; note++) {
      const body = `${bodyOf(note)} The canary${note} sings where nobody of another house hears it.`
      await agent.call('notes_create', { title: `Own ${note}`, body, project: 'vault', session })
    }
    const free = await house.connect()
    await free.call('project_create', { name: 'Atlas' })
    await write(free, 0, NOTES)
    written.resolve()
    const { passages } = await checkOf(house)
    expect(passages).toBe(NOTES)
    const sent = provider.requests.flatMap(({ texts }) => texts)
    const canaries = sent.filter((text) => text.includes('canary'))
    expect(canaries).toHaveLength(30)
  })

  test('is left alone for long after an error of ours, which keeps nothing else up', async () => {
    await using provider = await openProvider({ dims: DIMS })
    await using house = await openHouse({ env: provider.env })
    const { kernel } = house.app
    const { embedder } = kernel
    let asked = 0
    const embed: Embedder['embed'] = async (texts, how) => {
      if (!texts.some((text) => SENTENCE.test(text))) return embedder.embed(texts, how)
      asked++
      throw new Error('ours')
    }
    kernel.embedder = new Proxy(embedder, {
      get: (own, key) => (key === 'embed' ? embed : (Reflect.get(own, key) as unknown)),
    })
    const agent = await house.connect()
    await agent.call('project_create', { name: 'Atlas' })
    await write(agent, 0, NOTES)
    await expect.poll(() => asked, patient).toBe(1)
    await write(agent, NOTES, NOTES + 20)
    await expect.poll(async () => (await embeddingStatus(kernel)).missing, patient).toBe(0)
    expect(asked).toBe(1)
    expect(await checkedStatus(kernel)).toBeUndefined()
  })

  test('is tried without the texts that its provider cannot read', async () => {
    await using provider = await openProvider({ dims: DIMS })
    provider.read = understanding()
    // Read within a passage, and neither alone nor without its neighbours.
    const isUnread = (text: string) => SENTENCE.test(text) && text.charCodeAt(4) % 4 === 0
    provider.fault = { status: 500, when: (texts) => texts.some(isUnread) }
    await using house = await openHouse({ env: provider.env })
    const agent = await house.connect()
    await agent.call('project_create', { name: 'Atlas' })
    await write(agent, 0, NOTES)
    const checked = await checkOf(house)
    expect(provider.requests.flatMap(({ texts }) => texts).some(isUnread)).toBe(true)
    expect(checked.questions).toBeGreaterThan(40)
    expect(checked.weight).toBeGreaterThan(0)
    expect((await embeddingStatus(house.app.kernel)).trouble).toBeNull()
  })

  test('is asked again later when its provider is in trouble, and answers as before', async () => {
    await using at = await openChecked(undefined)
    const { house, agent, provider } = at
    provider.fault = {
      status: 500,
      when: (texts) => texts.some((text) => SENTENCE.test(text)),
    }
    await expect
      .poll(async () => (await embeddingStatus(house.app.kernel)).trouble?.cause ?? '', patient)
      .toContain('trouble')
    expect(await checkedStatus(house.app.kernel)).toBeUndefined()
    expect((await titles(agent, sentenceOf(30, 1)))[0]).toBe(`Note ${wordOf(30)}`)
    provider.fault = undefined
    await checkOf(house)
    expect((await embeddingStatus(house.app.kernel)).trouble).toBeNull()
  })
})
