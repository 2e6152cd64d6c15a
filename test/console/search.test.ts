import { describe, expect, test } from 'vitest'
import { embeddingWorker } from '../../src/embeddings/embeddings.ts'
import { embedderOf, hashedWords } from '../helpers/embedders.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'

async function furnish(house: House) {
  const alice = await house.connect()
  await alice.call('project_create', { name: 'Atlas maps', slug: 'atlas', description: 'Maps' })
  return alice.call('notes_create', {
    title: 'Where atlas keeps its maps',
    description: 'In the vault',
    body: 'The vault of atlas.',
    project: 'atlas',
  })
}

describe('the search', () => {
  test('answers the palette with notes and projects in groups', async () => {
    await using house = await openHouse()
    const note = await furnish(house)
    const { body } = await ownerOf(house).json('/console/search?format=json&fast=1&q=atlas')
    expect(body).toEqual({
      query: 'atlas',
      scope: 'all',
      fast: true,
      total: 2,
      groups: [
        {
          kind: 'project',
          label: 'Projects',
          count: 1,
          rows: [
            {
              kind: 'project',
              id: 'atlas',
              title: 'Atlas maps',
              identifier: 'atlas',
              project: 'atlas',
              description: 'Maps',
              href: '/console/search?q=atlas&scope=notes',
              matchKind: 'exact_identifier',
            },
          ],
        },
        {
          kind: 'note',
          label: 'Notes',
          count: 1,
          rows: [
            {
              kind: 'note',
              id: note['id'],
              title: 'Where atlas keeps its maps',
              identifier: 'where-atlas-keeps-its-maps',
              project: 'atlas',
              age: expect.any(String),
              description: 'In the vault',
              href: `/console/notes/${note['id']}`,
              peek: `/console/notes/${note['id']}?peek=1`,
              matchKind: 'identifier',
            },
          ],
        },
      ],
    })
  })

  test('looks where it is told, and asks nothing of less than two characters', async () => {
    await using house = await openHouse()
    await furnish(house)
    const owner = ownerOf(house)
    const total = async (query: string) => (await owner.json(`/console/search?${query}`)).body.total
    expect(await total('q=atlas&scope=notes')).toBe(1)
    expect(await total('q=atlas&scope=projects')).toBe(1)
    expect(await total('q=a')).toBe(0)
    expect(await total('q=%25')).toBe(0)
    expect(await total('q=%25%25&scope=projects')).toBe(0)
    expect((await owner.get('/console/search?q=a')).text).toContain('Ask in your own words')
    expect((await owner.get('/console/search?q=zeppelin')).text).toContain('Nothing found')
  })

  test('finds memories, tasks and findings beside notes, past every fence', async () => {
    await using house = await openHouse()
    await furnish(house)
    const agent = await house.inside('vaulted', 'sealed')
    const memory = await agent.call('memory_write', {
      name: 'atlas-is-old',
      kind: 'gotcha',
      description: 'Printed long ago',
      body: 'x',
      project: 'vaulted',
    })
    await house.app.kernel.db
      .insertInto('sessions')
      .values({ id: 'S1', name: 'atlas-watch', project: 'vaulted', findings: 'x' })
      .execute()
    const { body } = await ownerOf(house).json('/console/search?q=atlas')
    const kinds = body.groups.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(['project', 'memory', 'note', 'session'])
    expect(body.groups[1].rows).toMatchObject([{ id: memory['id'], project: 'vaulted' }])
    expect(body.groups[3].rows).toMatchObject([
      { id: 'S1', title: 'atlas-watch', href: '/console/sessions/S1' },
    ])
  })

  test.each([
    ['the whole id, however it is written', (id: string) => id.toLowerCase(), 'exact_id'],
    ['the beginning of an id', (id: string) => id.slice(0, 20), 'id_prefix'],
    ['the whole name', () => 'Where-Atlas-keeps-its-maps', 'exact_identifier'],
    ['a part of the name', () => 'las-kee', 'identifier'],
  ])('puts what is called so first: %s', async (_what, question, matchKind) => {
    await using house = await openHouse()
    const note = await furnish(house)
    const alice = await house.connect()
    await alice.call('memory_write', {
      name: 'keeper',
      kind: 'gotcha',
      description: 'Where maps of atlas are kept, las kee',
      body: 'x',
      project: 'atlas',
    })
    const id = note['id'] as string
    const { body } = await ownerOf(house).json(`/console/search?q=${question(id)}`)
    expect(body.groups[0].rows[0]).toMatchObject({ id, matchKind })
  })

  test('drops what only meaning found when it is not near enough, and asks no provider when fast', async () => {
    await using house = await openHouse({ env: { LOAM_SEARCH_SEMANTIC_FLOOR: '0.3' } })
    const { kernel } = house.app
    let asked = 0
    const embedder = await embedderOf(kernel.db, 'words', hashedWords(256))
    const { embed } = embedder
    embedder.embed = (texts, how) => (asked++, embed(texts, how))
    kernel.embedder = embedder
    await furnish(house)
    const work = embeddingWorker()
    while ((await kernel.db.selectFrom('embedding_queue').select('id').execute()).length > 0) {
      await work(kernel)
    }
    const owner = ownerOf(house)
    const rows = async (query: string) =>
      (await owner.json(`/console/search?scope=notes&${query}`)).body.groups[0]?.rows ?? []
    expect(await rows('q=the+of+its')).toMatchObject([{ similarity: expect.any(Number) }])
    expect(await rows('q=its+zeppelin+hangar+over+another+sea+entirely')).toEqual([])
    asked = 0
    expect(await rows('q=the+of+its&fast=1')).toEqual([])
    expect(asked).toBe(0)
  })

  test('leaves no demand: the owner looks, no agent asked', async () => {
    await using house = await openHouse()
    await furnish(house)
    await ownerOf(house).json('/console/search?q=atlas')
    await ownerOf(house).json('/console/search?q=zeppelin')
    expect(await house.events('retrieval.injected')).toEqual([])
    expect(await house.events('recall.miss')).toEqual([])
  })

  test('takes any text for a question', async () => {
    await using house = await openHouse()
    await furnish(house)
    const owner = ownerOf(house)
    for (const q of [
      "'",
      '\\',
      ':*',
      '<-> & | !',
      '(((',
      '"a',
      '🜁🜁',
      'a'.repeat(5000),
      '{{ q }}',
    ]) {
      const { status } = await owner.get(`/console/search?q=${encodeURIComponent(q)}`)
      expect({ q, status }).toEqual({ q, status: 200 })
    }
  })
})
