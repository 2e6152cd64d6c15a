import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { byMeaning, embedQuery, embeddingWorker } from '../../src/embeddings/embeddings.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { indexItem } from '../../src/passages/passages.ts'
import { findByWords, type WordHit } from '../../src/recall/by-words.ts'
import { checkedScale, fuse, scaleOf, WORDS_ALONE } from '../../src/recall/fusion.ts'
import { search } from '../../src/recall/search.ts'
import { GLOBAL, scopeOf } from '../../src/projects/projects.ts'
import { readSets, type RetrievalSet } from '../bench/sets.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { atRandom, embedderOf, hashedWords } from '../helpers/embedders.ts'
import { bareKernel } from '../helpers/kernel.ts'

const database = await openTestDatabase()
const { db } = database
const bare: Kernel = { ...bareKernel(database), log: pino({ level: 'silent' }) }
afterAll(() => database.close())

const where = scopeOf(GLOBAL)
const kinds = ['note'] as const
const depth = 60
let set: RetrievalSet

beforeAll(async () => {
  set = (await readSets()).find(({ name }) => name === 'engineering')!
  for (const { id, text } of set.docs) {
    await sql`
      insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
      values (${id}, '', ${id}, ${titleOf(text)}, ${text}, ${id}, '', loam_now(), loam_now())`.execute(
      db,
    )
    await indexItem(bare, {
      kind: 'note',
      id,
      project: '',
      active: true,
      title: titleOf(text),
      text,
    })
  }
})

const titleOf = (text: string): string => /^#+ (.+)$/m.exec(text)?.[1] ?? text.slice(0, 60)

type Ask = (query: string) => Promise<readonly { id: string }[]>

/** R@1, R@5 and R@10. */
async function measure(ask: Ask): Promise<number[]> {
  const sums = [0, 0, 0]
  for (const { q, rel } of set.queries) {
    const found = (await ask(q)).map(({ id }) => id)
    for (const [i, k] of [1, 5, 10].entries()) {
      sums[i]! += found.slice(0, k).filter((id) => rel.includes(id)).length / rel.length
    }
  }
  return sums.map((sum) => sum / set.queries.length)
}

describe('one list of two retrievers is never worse than the better of them', () => {
  test.each([
    ['random vectors of 64 dimensions', atRandom(64)],
    ['random vectors of 256 dimensions', atRandom(256)],
    ['hashed words of 96 dimensions', hashedWords(96)],
    ['hashed words of 256 dimensions', hashedWords(256)],
    ['hashed words of 1024 dimensions', hashedWords(1024)],
  ])('with %s', async (name, read) => {
    const kernel = { ...bare, embedder: await embedderOf(db, name, read) }
    const work = embeddingWorker()
    while ((await work(kernel)) > 0);
    const { rows } = await sql<{ count: number }>`
      select count(distinct id)::int as count from vectors where model = (select max(number) from models)`.execute(
      db,
    )
    expect(rows[0]?.count).toBe(set.docs.length)

    const words = await measure((query) => findByWords(db, where, { query, kinds, depth }))
    const meaning = await measure(async (query) => {
      const meant = await embedQuery(kernel, query)
      if (!meant || 'cause' in meant) throw new Error('no embedder')
      return byMeaning(db, where, meant, kinds, depth)
    })
    const fused = await measure(async (query) => {
      const { candidates } = await search(kernel, where, { query, kinds, depth })
      return candidates
    })
    for (const [i, share] of fused.entries()) {
      expect(share).toBeGreaterThanOrEqual(Math.max(words[i]!, meaning[i]!) - 0.005)
    }
  })
})

const word = (id: string, score: number): WordHit => ({
  kind: 'note',
  id,
  chunk: 0,
  score,
  share: score,
  words: 2,
  rarest: 1,
  passages: 100,
  lexemes: null,
  weights: null,
  heading: null,
  passage: null,
})
const near = (id: string, similarity: number) => ({
  kind: 'note' as const,
  id,
  similarity,
  chunk: 0,
})
const TRUSTED = { mean: 0.1, deviation: 0.08, pairs: 500, dims: 1024 }

describe('one list of two retrievers', () => {
  test('is the words alone where there is no meaning, with the scores of words', () => {
    const words = [word('A', 0.5), word('B', 0.2)]
    expect(fuse(words, [], WORDS_ALONE).map(({ id, score }) => [id, score])).toEqual([
      ['A', 0.5],
      ['B', 0.2],
    ])
  })

  test('keeps two items apart that have one id, as a file that was copied by hand has', () => {
    const scale = checkedScale({ weight: 0.2 })
    const task = { ...near('A', 0.8), kind: 'task' as const }
    expect(fuse([word('A', 0.5)], [task], scale).map(({ kind, id }) => [kind, id])).toEqual([
      ['note', 'A'],
      ['task', 'A'],
    ])
  })

  test('takes an item for as near as its best passage and its whole', () => {
    const scale = checkedScale({ weight: 0.2 })
    const hits = [
      { ...near('A', 0.8), whole: 0.2 },
      { ...near('B', 0.6), whole: 0.6 },
    ]
    expect(fuse([], hits, scale).map(({ id, score }) => [id, Number(score.toFixed(3))])).toEqual([
      ['B', 0.12],
      ['A', 0.1],
    ])
  })

  test('knows the place of an item in each retriever', () => {
    const fused = fuse([word('A', 0.5), word('B', 0.2)], [near('B', 0.7)], scaleOf(TRUSTED))
    expect(fused.find(({ id }) => id === 'B')).toMatchObject({
      words: { rank: 2 },
      meaning: { rank: 1, similarity: 0.7 },
    })
  })

  test('puts what means the same before what shares a word or two', () => {
    const fused = fuse([word('A', 0.15)], [near('B', 0.7), near('A', 0.2)], scaleOf(TRUSTED))
    expect(fused.map(({ id }) => id)).toEqual(['B', 'A'])
  })

  test('leaves what has nearly all of the words before what is somewhat near', () => {
    const fused = fuse([word('A', 0.8)], [near('B', 0.5), near('A', 0.2)], scaleOf(TRUSTED))
    expect(fused.map(({ id }) => id)).toEqual(['A', 'B'])
  })

  test('orders what only meaning found by its similarity, however small that is', () => {
    const meaning = [near('C', 0.2), near('B', 0.1), near('A', 0.05)]
    expect(fuse([], meaning, scaleOf(TRUSTED)).map(({ id }) => id)).toEqual(['C', 'B', 'A'])
  })

  test('weighs a model by how far it tells texts apart, on the scale it has', () => {
    const chance = { mean: 0, deviation: 1 / 16, pairs: 500, dims: 256 }
    expect(scaleOf(chance).weight).toBe(0)
    expect(scaleOf(TRUSTED).weight).toBeGreaterThan(0.2)
    const high = scaleOf({ ...TRUSTED, mean: 0.7 })
    expect(high.from).toBeGreaterThan(0.8)
    expect(high.to).toBeGreaterThan(high.from)
    expect(scaleOf({ ...chance, pairs: 3 }).weight).toBeGreaterThan(0)
  })

  test('has scores from 0 to 1', () => {
    const fused = fuse([word('A', 1)], [near('A', 1), near('B', -0.4)], scaleOf(TRUSTED))
    expect(fused.map(({ score }) => score)).toEqual([1, 0])
  })
})
