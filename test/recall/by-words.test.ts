import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { indexItem, updateStatistics, wordsAsked, type Item } from '../../src/passages/passages.ts'
import { byWords, SEARCH, type WordHit } from '../../src/recall/by-words.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { bareKernel } from '../helpers/kernel.ts'
import { scopeOver } from '../helpers/places.ts'
import { ownerScope, type AnyScope } from '../../src/projects/projects.ts'

const database = await openTestDatabase()
const { db } = database
const kernel = bareKernel(database)
afterAll(() => database.close())

const WORDS = ['tide', 'cache', 'queue', 'ledger', 'lantern', 'harbour', 'sextant', 'anchor']

beforeAll(async () => {
  await sql`insert into projects (id, slug, name) values ('A', 'atlas', 'Atlas')`.execute(db)
  for (let i = 0; i < 120; i++) {
    // The n-th word stands in every n-th note, as often as the note's number says.
    const words = WORDS.flatMap((word, n) =>
      i % (n + 1) === 0 ? Array(1 + (i % 7)).fill(word) : [],
    )
    const project = i % 3 === 0 ? '' : 'atlas'
    await add({ id: `N${String(i).padStart(3, '0')}`, project, text: words.join(' ') })
  }
})

async function add(over: Partial<Item>): Promise<void> {
  const item: Item = {
    kind: 'note',
    id: 'N',
    project: '',
    active: true,
    title: 'T',
    text: '',
    ...over,
  }
  await sql`
    insert into notes (id, project, slug, title, body, path, content_hash, created_at, updated_at)
    values (${item.id}, ${item.project}, ${item.id}, 'T', ${item.text}, ${item.id}, '', loam_now(), loam_now())`.execute(
    db,
  )
  await indexItem(kernel, item)
}

function search(
  query: string,
  over: object = {},
  scope: AnyScope = scopeOver('atlas', ''),
): Promise<WordHit[]> {
  const asked = wordsAsked(query)
  return byWords(db, scope, {
    ...SEARCH,
    kinds: ['note'],
    lexemes: [...asked.keys()],
    weights: [...asked.values()],
    depth: 60,
    ...over,
  })
}

const QUESTIONS = [
  'tide',
  'sextant anchor',
  'the queue of the ledger',
  'cache unheard',
  'tide lantern harbour',
]
/** As if the scope were too large to look at every match. */
const LARGE = { small: 0 }

describe('the search by words', () => {
  test('reads how often a word stands in a passage off its rank, exactly', async () => {
    const { rows } = await sql<{ n: number; tf: number }>`
      select n, round(1 / (1.64493406685::float8 * (1 - ts_rank('{1,1,1,1}', words, '''a'''))) - .5) as tf
      from generate_series(1, 255) n,
        lateral (select ('''a'':' || string_agg(i::text, ',') || ' ''b'':7')::tsvector as words from generate_series(1, n) i) w
      order by n`.execute(db)
    expect(rows.map(({ tf }) => tf)).toEqual(rows.map(({ n }) => n))
  })

  test.each(QUESTIONS)('answers %j alike in a small scope and in a large one', async (query) => {
    const small = await search(query)
    expect(small).not.toEqual([])
    const shape = ({ id, score, share, words, rarest }: WordHit): unknown => [
      id,
      score.toFixed(9),
      share.toFixed(9),
      words,
      rarest,
    ]
    const untold = await search(query, LARGE)
    expect(untold.map(shape)).toEqual(small.map(shape))
  })

  test('answers alike before and after the statistics were updated', async () => {
    const ask = async (): Promise<unknown> =>
      (await Promise.all(QUESTIONS.map((query) => search(query, LARGE)))).map((found) =>
        found.map(({ id, score }) => [id, score.toFixed(9)]),
      )
    const before = await ask()
    expect(await updateStatistics(kernel)).toBe(120)
    expect(await ask()).toEqual(before)
  })

  test.each([1, 20, 60, 10_000])(
    'answers alike whether words are read by themselves or tested, with a pool of %i',
    async (pool) => {
      const large = { ...LARGE, pool, explain: true }
      for (const query of [...QUESTIONS, WORDS.join(' '), 'tide cache', 'anchor tide unheard']) {
        const itself = await search(query, large)
        // What stood at a time is always tested.
        const tested = await search(query, { ...large, at: new Date(Date.now() + 60_000) })
        expect(itself).not.toEqual([])
        expect(itself).toEqual(tested)
      }
    },
  )

  test('takes its candidates from the rarest words, and at least one word', async () => {
    const rare = await search('anchor tide', { ...LARGE, pool: 20 })
    expect(rare.map(({ id }) => id).sort()).toEqual(
      Array.from({ length: 15 }, (_, i) => `N${String(i * 8).padStart(3, '0')}`),
    )
    expect(await search('tide', { ...LARGE, pool: 1 })).toHaveLength(60)
  })

  test('looks into the projects it is given, everywhere only when told so', async () => {
    const count = async (scope: AnyScope, over: object = {}): Promise<number> =>
      (await search('tide', { depth: 500, ...over }, scope)).length
    expect(await count(scopeOver('atlas'))).toBe(80)
    expect(await count(scopeOver(''))).toBe(40)
    expect(await count(scopeOver('nowhere'))).toBe(0)
    expect(await count(scopeOver())).toBe(0)
    expect(await count(ownerScope())).toBe(120)
    expect(await count(ownerScope(), LARGE)).toBe(120)
  })

  test('finds the same best items however few are asked for, also in notes of many passages', async () => {
    const said = (word: string, i: number) => Array(1 + ((i * 7) % 11)).fill(word)
    const filler = (i: number) => Array(i % 5).fill('keel')
    for (let i = 0; i < 40; i++) {
      const text = [...said('compass', i), ...filler(i), ...(i % 3 ? ['astrolabe'] : [])].join(' ')
      await add({ id: `M${String(i).padStart(2, '0')}`, kind: 'memory', text })
      const parts = Array.from({ length: 1 + (i % 4) }, (_, n) =>
        [...said('compass', i + n), ...Array(400).fill('spar')].join(' '),
      )
      await add({ id: `P${String(i).padStart(2, '0')}`, text: parts.join('\n\n') })
    }
    const { rows } = await sql<{ most: number }>`
      select max(chunk)::int as most from passages where id like 'P%'`.execute(db)
    expect(rows[0]!.most).toBeGreaterThan(0)
    for (const over of [{}, LARGE]) {
      const kinds = ['memory', 'note']
      const shown = async (depth: number): Promise<unknown> =>
        (await search('compass astrolabe', { ...over, kinds, depth, explain: true })).map(
          ({ kind, id, chunk, score, lexemes }) => [kind, id, chunk, score, lexemes],
        )
      const all = (await shown(1_000)) as unknown[]
      expect(all).toHaveLength(80)
      for (const depth of [1, 2, 5, 13, 39, 40, 60])
        expect(await shown(depth)).toEqual(all.slice(0, depth))
    }
  })

  test('finds no item that is inactive or of a kind that was not asked for', async () => {
    await add({ id: 'Q1', text: 'zeppelin', active: false })
    expect(await search('zeppelin')).toEqual([])
    expect(await search('tide', { kinds: ['memory'] })).toEqual([])
  })

  test('keeps the rarest words of a question that has too many', async () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    const many = letters.map((letter) => `unheard${letter}`).join(' ')
    const found = await search(`${many} tide sextant`, { words: 1 })
    expect(found.map(({ id }) => id).sort()).toEqual(
      (await search('sextant')).map(({ id }) => id).sort(),
    )
  })
})

test('finds in the past, in a scope of any size, what has ended by words that nothing else has', async () => {
  await add({ id: 'ENDED', project: 'atlas', active: false, text: 'zephyrgate' })
  const at = new Date(Date.now() + 60_000)
  for (const scope of [scopeOver('atlas', ''), ownerScope()]) {
    for (const size of [{}, LARGE]) {
      const hits = await search('zephyrgate valve', { ...size, at }, scope)
      expect(hits.map(({ id }) => id)).toEqual(['ENDED'])
    }
  }
})

test('gives each item one row, also where a file that was copied by hand has the id of another', async () => {
  const copied = { id: 'COPIED', project: 'atlas', text: 'bowsprit' }
  await add(copied)
  await sql`
    insert into tasks (id, project, title, body, created_at, updated_at)
    values ('COPIED', 'atlas', 'T', 'bowsprit', loam_now(), loam_now())`.execute(db)
  await indexItem(kernel, { ...copied, kind: 'task', active: true, title: 'T' })
  const hits = await search('bowsprit', { kinds: ['note', 'task'], read: 30 })
  expect(hits.map(({ kind }) => kind).sort()).toEqual(['note', 'task'])
  expect(hits.map(({ passage }) => passage)).toEqual(['bowsprit', 'bowsprit'])
})
