import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reconcile } from '../../src/vault/reconcile.ts'
import { ownerOf } from '../console/owner.ts'
import { openHouse } from '../helpers/house.ts'

const NOTES = [
  {
    title: 'Tide cache eviction',
    description: 'Why the tide cache evicts by age',
    body: 'The tideCache drops entries by age, not by size. See src/cache/tide_cache.ts.',
  },
  {
    title: 'Queue latency study',
    body: 'The p99 latency of the orders queue doubled when workers polled. Long polling halved it.',
  },
  { title: '検索の設計', body: '分散データベースの検索は語の対で行う。' },
  { title: '운영', body: '큐가 막히면 워커를 늘린다.' },
  { title: 'Presse', body: 'Die Daten\u00adbank\u00adverbindung riss ab.' },
]

async function openStocked() {
  const house = await openHouse()
  const agent = await house.connect()
  const ids: string[] = []
  for (const note of NOTES) {
    const { id } = await agent.call('notes_create', { ...note, project: 'atlas' })
    ids.push(id)
  }
  return { house, agent, ids }
}

describe('recall', () => {
  test.each([
    ['a hash', '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567'],
    ['a UUID', '550e8400-e29b-41d4-a716-446655440000'],
    ['a ULID', '01HZX3V9K2M4N5P6Q7R8S9T0AB'],
  ])('finds by its other words what lacks %s that was pasted', async (_, pasted) => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const hash = '9f3c2e1ab47d0c58e6f1a2b3c4d5e6f708192a3b'
    const id = '01HZY7W1K3M8N2P9Q4R5S6T0CD'
    await agent.call('notes_create', {
      title: 'Tidal',
      body: `The tide moved since ${hash} of ${id}`,
    })
    await agent.call('notes_create', { title: 'Mast', body: 'The mast of the zeppelin sways' })

    const { hits } = await agent.call('recall', { query: `the mast sways since ${pasted}` })
    expect(hits[0]).toMatchObject({ name: 'mast' })
    for (const query of [hash, hash.slice(0, 7), `since ${hash.slice(0, 9)}`, id]) {
      const { hits, evidence } = await agent.call('recall', { query })
      expect(hits[0]).toMatchObject({ name: 'tidal' })
      expect(evidence).not.toBe('none')
    }
  })

  test.each([
    ['of several words', 'Mooring the zeppelin'],
    ['of several words, as its slug', 'mooring-the-zeppelin'],
    ['of one word', 'Zeppelins'],
  ])('puts first what is called exactly as was asked: a name %s', async (_, query) => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const title = query === 'mooring-the-zeppelin' ? 'Mooring the zeppelin' : query
    const filler = 'Rope, ladder and ballast are told of in the book of the harbour. '.repeat(20)
    const { id } = await agent.call('notes_create', { title, body: filler })
    for (const n of ['One', 'Two']) {
      const body = 'Zeppelins: mooring the zeppelin. '.repeat(5)
      const other = await agent.call('notes_create', { title: `${n} about zeppelins`, body })
      if (n === 'Two')
        await agent.call('favorite_set', { id: other['id'], kind: 'note', favorite: true })
    }

    for (const asked of [query, ` ${query.toUpperCase()}? `]) {
      const { hits, evidence } = await agent.call('recall', { query: asked })
      expect(hits).toMatchObject([{ id }, {}, {}])
      expect(hits[0].score).toBeLessThanOrEqual(1)
      expect(evidence).not.toBe('none')
    }
    const { hits } = await agent.call('recall', { query: `${query} of one or two` })
    expect(hits[0].id).not.toBe(id)
  })

  test('answers with what an agent needs to choose what to read', async () => {
    const { house, agent, ids } = await openStocked()
    await using _ = house

    const answer = await agent.call('recall', {
      query: 'when are cached tides dropped?',
      project: 'atlas',
    })

    expect(answer).toEqual({
      hits: [
        {
          kind: 'note',
          id: ids[0],
          name: 'tide-cache-eviction',
          title: 'Tide cache eviction',
          description: 'Why the tide cache evicts by age',
          passage: expect.stringContaining('The tideCache drops entries by age, not by size.'),
          project: 'atlas',
          age: 'just now',
          source: 'fts',
          score: expect.any(Number),
        },
      ],
      evidence: 'strong',
    })
    expect(answer.hits[0].score).toBeGreaterThan(0)
    expect(answer.hits[0].score).toBeLessThanOrEqual(1)
  })

  test.each([
    ['a sentence that shares some of its words', 'why did our latency get so bad after polling', 1],
    ['an identifier spelled otherwise', 'tide_cache', 0],
    ['the words of a path', 'cache tide ts', 0],
    ['a whole path', 'src/cache/tide_cache.ts', 0],
    ['a script without spaces', 'データベース', 2],
    ['a title alone', '設計', 2],
    ['a word of one syllable that has an ending there', '큐', 3],
    ['a word in which lines may break there', 'Datenbankverbindung', 4],
    ['other forms of a word', 'evicting aged entry', 0],
  ])('finds a note by %s', async (...[, query, expected]) => {
    const { house, agent, ids } = await openStocked()
    await using _ = house

    const { hits } = await agent.call('recall', { query, project: 'atlas' })
    expect(hits[0]?.id).toBe(ids[expected])
  })

  test('finds what a note says now, and nothing it said before', async () => {
    const { house, agent, ids } = await openStocked()
    await using _ = house
    const count = async (query: string): Promise<number> =>
      (await agent.call('recall', { query, project: 'atlas' })).hits.length

    await agent.call('notes_update', { id: ids[1], body: 'The depot now uses brass lanterns.' })
    expect(await count('brass lanterns')).toBe(1)
    expect(await count('latency polled')).toBe(1)
    await agent.call('notes_update', { id: ids[1], title: 'Lanterns' })
    expect(await count('latency polled')).toBe(0)
    await agent.call('notes_append', { id: ids[1], body: 'And a copper bell.' })
    expect(await count('copper')).toBe(1)

    await agent.call('notes_delete', { id: ids[1] })
    expect(await count('brass lanterns copper')).toBe(0)
  })

  test('searches the project and global, and no other project', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    for (const project of ['atlas', 'global', 'ledger']) {
      await agent.call('notes_create', { title: `Sextant in ${project}`, body: 'x', project })
    }
    const found = async (project: string): Promise<string[]> => {
      const { hits } = await agent.call('recall', { query: 'sextant', project })
      return hits.map((hit: { title: string }) => hit.title).sort()
    }
    expect(await found('atlas')).toEqual(['Sextant in atlas', 'Sextant in global'])
    expect(await found('global')).toEqual(['Sextant in global'])
  })

  test('ranks a note of many good passages before one of a single passage as good', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const filler = (word: string): string => Array(150).fill(word).join(' ')
    const part = `The sextant is calibrated here. ${filler('sea')}`
    const body = (parts: string[]): string => parts.map((text) => `# Part\n\n${text}`).join('\n\n')
    const rest = filler('harbour')
    await agent.call('notes_create', {
      title: 'One',
      body: body([part, rest, rest]),
      project: 'atlas',
    })
    await agent.call('notes_create', {
      title: 'Two',
      body: body([part, part, part]),
      project: 'atlas',
    })

    const { hits } = await agent.call('recall', { query: 'sextant calibrated', project: 'atlas' })
    expect(hits.map((hit: { title: string }) => hit.title)).toEqual(['Two', 'One'])
  })

  test('gives as many hits as are asked for, best first, ten by default', async () => {
    await using house = await openHouse({ env: { LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '100000' } })
    const agent = await house.connect()
    for (let i = 1; i <= 40; i++) {
      const title = `Buoy ${i}`
      await agent.call('notes_create', { title, body: 'buoy '.repeat(i), project: 'atlas' })
    }
    const ask = async (limit?: number): Promise<{ title: string; score: number }[]> => {
      const { hits } = await agent.call('recall', {
        query: 'buoy',
        project: 'atlas',
        ...(limit && { limit }),
      })
      return hits
    }
    expect(await ask()).toHaveLength(10)
    expect(await ask(1)).toHaveLength(1)
    const all = await ask(100)
    expect(all).toHaveLength(40)
    const scores = all.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })

  test('ends an answer at the hit that would exceed the budget, never before the first', async () => {
    await using house = await openHouse({ env: { LOAM_BUDGETS_RECALL_BUDGET_TOKENS: '200' } })
    const agent = await house.connect()
    const title = (word: string, length: number): string => `${word} `.repeat(length).trim()
    const create = (name: string): Promise<unknown> =>
      agent.call('notes_create', { title: name, body: 'sextant', project: 'atlas' })
    for (const name of [title('anchor', 9), title('bollard', 9), 'Cleat']) await create(name)

    const { hits } = await agent.call('recall', { query: 'sextant bollard', project: 'atlas' })
    expect(hits.map((hit: { title: string }) => hit.title)).toEqual([title('bollard', 9), 'Cleat'])

    const { hits: long } = await agent.call('recall', {
      query: 'sextant anchor',
      project: 'atlas',
      limit: 1,
    })
    expect(long).toHaveLength(1)
  })

  test('shows a description in one line of at most 200 characters', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const description = `A sextant,\nbrass. ${'🦊 '.repeat(200)}`
    await agent.call('notes_create', { title: 'S', body: 'x', description, project: 'atlas' })

    const { hits } = await agent.call('recall', { query: 'sextant', project: 'atlas' })
    expect(hits[0].description).toMatch(/^A sextant, brass\. (🦊 )+🦊…$/)
    expect([...hits[0].description].length).toBeLessThanOrEqual(200)
  })

  test('says how old what it found is, by the clock of the database', async () => {
    const { house, agent } = await openStocked()
    await using _ = house
    const age = async (): Promise<string> =>
      (await agent.call('recall', { query: 'tide', project: 'atlas' })).hits[0].age
    for (const [by, says] of [
      ['5 minutes', '5m'],
      ['3 hours', '3h'],
      ['12 days', '12d'],
    ] as const) {
      await house.moveClock(by)
      expect(await age()).toBe(says)
    }
  })

  test.each([
    ['strong', 'tide cache eviction'],
    ['weak', 'tide cache pressure on the mainframe of the brewery'],
    ['none', 'zeppelin'],
    ['none', 'what is this about?'],
  ])('calls its evidence %s for %j', async (evidence, query) => {
    const { house, agent } = await openStocked()
    await using _ = house
    expect(await agent.call('recall', { query, project: 'atlas' })).toMatchObject({ evidence })
  })

  test('records what it put before an agent, and what it could not answer', async () => {
    const { house, agent, ids } = await openStocked()
    await using _ = house
    const { hits } = await agent.call('recall', { query: 'tide cache', project: 'atlas' })
    const long = 'zeppelin '.repeat(200)
    await agent.call('recall', { query: long, project: 'atlas', scope: 'notes', limit: 3 })

    expect(await house.events('retrieval.injected')).toMatchObject([
      {
        item_id: null,
        project: 'atlas',
        payload: {
          query: 'tide cache',
          item_ids: [ids[0]],
          item_scores: [hits[0].score],
          source: 'recall',
        },
      },
    ])
    expect(await house.events('recall.miss')).toMatchObject([
      {
        project: 'atlas',
        payload: { query: long.slice(0, 500), scope: 'notes', limit: 3, source: 'recall' },
      },
    ])
  })

  test('looks for memories alone when a kind is given, and lists them without a query', async () => {
    const { house, agent } = await openStocked()
    await using _ = house
    const nothing = { hits: [], evidence: 'none' }
    expect(
      await agent.call('recall', { query: 'tide', kind: 'gotcha', project: 'atlas' }),
    ).toMatchObject(nothing)
    expect(await agent.call('recall', { kind: 'gotcha', project: 'atlas' })).toEqual(nothing)
    expect(await house.events('recall.miss')).toMatchObject([{ payload: { kind: 'gotcha' } }])
  })

  test('finds an item that has the id of another, as files copied by hand have, and shows each as itself', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', {
      ...{ title: 'Bowsprit of oak', body: 'The bowsprit is of oak.', project: 'atlas' },
    })
    const written = { name: 'mast', kind: 'gotcha', description: 'about a bowsprit', body: 'Pine.' }
    const memory = await agent.call('memory_write', { ...written, project: 'atlas' })
    const file = join(house.dir, 'memory/atlas/mast.md')
    await writeFile(file, (await readFile(file, 'utf8')).replace(memory['id'], id))
    await reconcile(house.app.kernel)

    const { hits } = await agent.call('recall', { query: 'what bowsprit is it', project: 'atlas' })
    expect(hits.map((hit: any) => [hit.kind, hit.id, hit.title]).sort()).toEqual([
      ['memory', id, 'mast'],
      ['note', id, 'Bowsprit of oak'],
    ])
    const { body } = await ownerOf(house).json(`/console/search?q=${id}`)
    const rows = body.groups.flatMap((group: any) => group.rows)
    expect(rows.map((row: any) => [row.kind, row.id, row.matchKind]).sort()).toEqual([
      ['memory', id, 'exact_id'],
      ['note', id, 'exact_id'],
    ])
  })

  test('follows a link to a memory though another item that was found has its id', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const remember = (name: string, body: string) =>
      agent.call('memory_write', {
        name,
        kind: 'gotcha',
        description: name,
        body,
        project: 'atlas',
      })
    const { id } = await remember('keel', 'Pine.')
    await remember('mast', 'Stands behind the bowsprit and on the [[keel]].')
    const note = { title: 'Bowsprit of oak', body: 'The bowsprit is of oak.', project: 'atlas' }
    const { id: own } = await agent.call('notes_create', note)
    const [name = ''] = await readdir(join(house.dir, 'notes/atlas'))
    const file = join(house.dir, 'notes/atlas', name)
    await writeFile(file, (await readFile(file, 'utf8')).replace(own, id))
    await reconcile(house.app.kernel)

    const { hits } = await agent.call('recall', { query: 'what bowsprit is it', project: 'atlas' })
    expect(hits.map((hit: any) => [hit.kind, hit.title, hit.source]).sort()).toEqual([
      ['memory', 'keel', 'link'],
      ['memory', 'mast', 'fts'],
      ['note', 'Bowsprit of oak', 'fts'],
    ])
  })

  test('finds the same after every row was made anew from the files', async () => {
    const { house, agent } = await openStocked()
    await using _ = house
    const ask = async (): Promise<object> => {
      const question = { query: 'latency of the tide cache', project: 'atlas' }
      const { hits, evidence } = await agent.call('recall', question)
      // What was asked before is asked for: its score is a little higher the second time.
      return { hits: hits.map((hit: object) => ({ ...hit, score: 0 })), evidence }
    }
    const before = await ask()
    for (const table of ['notes', 'passages', 'passage_changes', 'files'] as const) {
      await house.app.kernel.db.deleteFrom(table).execute()
    }
    expect(await ask()).toMatchObject({ hits: [] })
    await reconcile(house.app.kernel)
    expect(await ask()).toEqual(before)
  })

  describe('refuses', () => {
    test.each([
      [{}, 'recall: query is required, or kind to list memories of one kind'],
      [{ query: '  ' }, 'recall: query is required, or kind to list memories of one kind'],
      [
        { query: 'x', kind: 'gotcha', scope: 'notes' },
        'recall: kind is of memories only and contradicts scope "notes"; leave one of them out',
      ],
      [{ query: 'x', scope: 'trials' }, 'scope'],
      [{ query: 'x', kind: 'secret' }, 'kind'],
      [{ query: 'x', limit: 0 }, 'limit'],
      [{ query: 'x', limit: 101 }, 'limit'],
      [{ query: 'a\u0000b' }, 'query'],
      [{ query: 'x', project: 'all' }, 'project "all" is reserved'],
    ])('%o', async (args, message) => {
      await using house = await openHouse()
      const agent = await house.connect()
      await expect(agent.call('recall', args)).rejects.toThrow(message)
    })
  })
})
