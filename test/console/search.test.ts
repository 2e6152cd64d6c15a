import { describe, expect, test } from 'vitest'
import { embeddingWorker } from '../../src/embeddings/embeddings.ts'
import { embedderOf, hashedWords } from '../helpers/embedders.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { addStep } from '../helpers/plans.ts'
import { research, tried } from '../helpers/research.ts'
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
      sort: 'relevance',
      window: 'all',
      windowLabel: 'all time',
      fast: true,
      favoritesOnly: false,
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
              titleHtml: '<mark>Atlas</mark> maps',
              href: '/console/projects/atlas',
              peek: '/console/projects/atlas?peek=1',
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
              updated: expect.any(String),
              description: 'In the vault',
              titleHtml: 'Where <mark>atlas</mark> keeps its maps',
              snippet: 'The vault of atlas.',
              snippetHtml: 'The vault of <mark>atlas</mark>.',
              lexical: true,
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
      { id: 'S1', title: 'x', identifier: 'atlas-watch', href: '/console/sessions/S1' },
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

  test('finds an item of any kind by its id and by the first eight characters of it', async () => {
    await using house = await openHouse()
    await research(house)
    const alice = await house.connect()
    // No word of these is as short as the letters between two digits of an id, which are a word too.
    const of = { body: 'Nothing to find it by.', project: 'atlas' }
    const told = { name: 'gone', kind: 'gotcha', description: 'x', ...of }
    const ids = {
      memory: (await alice.call('memory_write', told))['id'] as string,
      note: (await alice.call('notes_create', { title: 'Nameless', ...of }))['id'] as string,
      task: (await alice.call('tasks_add', { title: 'Nameless', project: 'atlas' }))[
        'id'
      ] as string,
      session: await house.session('atlas'),
      trial: (await tried(alice, 'Nameless', { project: 'atlas' }))['id'] as string,
    }
    const owner = ownerOf(house)
    // What is believed no longer is found by its id, and by nothing else.
    await owner.post(`/console/memories/${ids.memory}/archive`)
    const found = async (q: string, id: string) => {
      const { body } = await owner.json(`/console/search?fast=1&q=${q}`)
      const rows = body.groups.flatMap((group: any) => group.rows)
      const row = rows.find((row: any) => row.id === id)
      return row && [row.kind, row.matchKind, row.matchedId]
    }
    for (const [kind, id] of Object.entries(ids)) {
      expect(await found(id.toLowerCase(), id)).toEqual([kind, 'exact_id', id])
      expect(await found(id.slice(0, 25), id)).toEqual([kind, 'id_prefix', id])
      expect(await found(id.slice(0, 8).toLowerCase(), id)).toEqual([kind, 'id_prefix', id])
    }
    expect((await owner.json(`/console/search?q=${ids.task.slice(0, 7)}`)).body.total).toBe(0)
    expect((await owner.json('/console/search?q=gone&scope=memories')).body.total).toBe(0)
  })

  test('finds characters within the texts of tasks, sessions and trials, and marks them', async () => {
    await using house = await openHouse()
    await research(house)
    const agent = await house.inside('atlas')
    await agent.call('tasks_add', { title: 'Later', body: 'Then <b>requantize</b> the tides.' })
    await tried(agent, 'A trial', { actual: 'requantized twice', project: 'atlas' })
    const id = await house.session('atlas')
    await house.app.kernel.db
      .updateTable('sessions')
      .set({ findings: 'Nobody requantizes.' })
      .where('id', '=', id)
      .execute()
    const { body } = await ownerOf(house).json('/console/search?q=quantiz')
    const found = body.groups.map(({ kind, rows }: any) => [kind, rows[0].snippetHtml])
    expect(found).toEqual([
      ['task', 'open: Then &lt;b&gt;re<mark>quantiz</mark>e&lt;/b&gt; the tides.'],
      ['trial', expect.stringContaining('re<mark>quantiz</mark>ed twice')],
      ['session', expect.stringContaining('Nobody re<mark>quantiz</mark>es.')],
    ])
    await research(house, false)
    const without = await ownerOf(house).json('/console/search?q=quantiz')
    expect(without.body.groups.map(({ kind }: any) => kind)).toEqual(['task', 'session'])
    const refused = await ownerOf(house).json('/console/search?q=quantiz&scope=trials')
    expect([refused.status, refused.body.error]).toEqual([
      400,
      'invalid scope "trials": valid values are all, memories, notes, tasks, plans, projects, sessions',
    ])
  })

  test('finds plans by slug and title, and leads to its page', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    await agent.call('notes_create', {
      ...{ title: 'Tides under a second', description: 'How', body: 'x', plan: 'faster-tides' },
    })
    await addStep(house, 'faster-tides', { title: 'Measure' })
    await addStep(house, 'bare-steps', { title: 'Only a step' })
    const rows = async (q: string) =>
      (await ownerOf(house).json(`/console/search?scope=plans&q=${q}`)).body.groups[0]?.rows ?? []
    expect(await rows('under+a+sec')).toMatchObject([{ id: 'faster-tides', project: 'atlas' }])
    expect(await rows('Faster-Tides')).toMatchObject([
      {
        ...{ kind: 'plan', title: 'Tides under a second', identifier: 'faster-tides' },
        ...{ matchKind: 'exact_identifier', description: '0 of 1 step closed · How' },
        ...{ href: '/console/plans/faster-tides?project=atlas' },
        ...{ peek: '/console/plans/faster-tides?project=atlas&peek=1' },
      },
    ])
    expect(await rows('bare')).toMatchObject([
      { id: 'bare-steps', href: '/console/plans/bare-steps?project=atlas' },
    ])
  })

  test('says who holds a task, and what a session is called by its work', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const { id } = await agent.call('tasks_add', { title: 'Chart the reef' })
    await agent.call('tasks_claim', { id })
    const { body } = await ownerOf(house).json('/console/search?q=reef&scope=tasks')
    expect(body.groups[0].rows[0]).toMatchObject({ id, holder: expect.any(String) })
    expect(body.groups[0].rows[0].href).toBe(`/console/tasks/${id as string}`)
  })

  test('is narrowed to starred ones and to a time, and is put in other orders', async () => {
    await using house = await openHouse()
    const alice = await house.connect()
    for (const title of ['Reef one', 'Reef two', 'Reef three'])
      await alice.call('notes_create', { title, body: 'reef', project: 'atlas' })
    const owner = ownerOf(house)
    const rows = async (query: string): Promise<{ id: string; title: string }[]> => {
      const { body } = await owner.json(`/console/search?q=reef&${query}`)
      return body.groups.flatMap((group: any) => group.rows)
    }
    const titles = async (query: string) => (await rows(query)).map(({ title }) => title)
    expect(await titles('sort=newest')).toEqual(['Reef three', 'Reef two', 'Reef one'])
    expect(await titles('sort=oldest')).toEqual(['Reef one', 'Reef two', 'Reef three'])
    const [first] = await rows('sort=oldest')
    await owner.post(`/console/favorites/note/${first!.id}`, { favorite: '1' })
    expect((await titles(''))[0]).toBe('Reef one')
    expect(await titles('fav=1')).toEqual(['Reef one'])
    expect(await titles('w=24h')).toHaveLength(3)
    await house.app.kernel.db
      .updateTable('notes')
      .set({ updated_at: new Date(Date.now() - 40 * 24 * 3600 * 1000) })
      .execute()
    expect(await titles('w=30d')).toEqual([])
    expect(await titles('w=1y')).toHaveLength(3)
    for (const [name, valid] of [
      ['sort', 'relevance, newest, oldest, project, confidence'],
      ['w', 'all, 24h, 7d, 30d, 1y'],
    ]) {
      const { status, body } = await owner.json(`/console/search?q=reef&${name}=odd`)
      expect([status, body.error]).toEqual([
        400,
        `invalid ${name} "odd": valid values are ${valid}`,
      ])
    }
  })

  test('marks the words that it found on the page, and nothing that an agent wrote is a mark', async () => {
    await using house = await openHouse()
    const alice = await house.connect()
    await alice.call('notes_create', {
      ...{ title: 'Tiding <mark>over</mark> the reefs', project: 'atlas' },
      body: 'The reef & the <img src=x onerror=alert(1)> tide',
    })
    const { text } = await ownerOf(house).get('/console/search?q=reef+tide')
    expect(text).toContain('&lt;mark&gt;over&lt;/mark&gt; the <mark>reefs</mark>')
    expect(text).toContain('The <mark>reef</mark> &amp; the &lt;img')
    expect(text).not.toContain('<img src=x')

    const body = 'Die Daten\u00adbank riss ab.'
    await alice.call('notes_create', { title: 'Presse', body, project: 'atlas' })
    const { text: page } = await ownerOf(house).get('/console/search?q=Datenbank')
    expect(page).toContain('Die <mark>Daten\u00adbank</mark> riss')
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
