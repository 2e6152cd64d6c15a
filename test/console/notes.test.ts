import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/kernel/id.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'

type Written = { id: string; slug: string }

async function write(house: House, notes: Record<string, unknown>[]): Promise<Written[]> {
  const alice = await house.connect()
  const written: Written[] = []
  for (const note of notes) {
    written.push(
      (await alice.call('notes_create', { body: 'x', project: 'atlas', ...note })) as Written,
    )
  }
  return written
}

const titlesOf = (body: { groups: { project: string; notes: { title: string }[] }[] }) =>
  body.groups.map(({ project, notes }) => [project, notes.map(({ title }) => title)])

describe('the library of notes', () => {
  test('groups the notes of every project, the one touched last first', async () => {
    await using house = await openHouse()
    await write(house, [
      { title: 'One', tags: ['ops'], description: 'first' },
      { title: 'Two', project: 'global' },
      { title: 'Three', project: 'ledger' },
      { title: 'Four' },
    ])
    const { body } = await ownerOf(house).json('/console/notes')
    expect(body).toEqual({
      groups: [
        { project: 'atlas', count: 2, notes: [expect.anything(), expect.anything()] },
        { project: 'ledger', count: 1, notes: [expect.anything()] },
        { project: '', count: 1, notes: [expect.anything()] },
      ],
      count: 4,
      sort: 'recent',
    })
    expect(body.groups[0].notes[1]).toEqual({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      title: 'One',
      description: 'first',
      project: 'atlas',
      tags: ['ops', 'created-by:agent'],
      model: '',
      favorite: false,
      updated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
  })

  test('sorts by what was touched last, by name whatever the case, and the starred first', async () => {
    await using house = await openHouse()
    const [, beta] = await write(house, [{ title: 'alpha' }, { title: 'Beta' }, { title: 'gamma' }])
    const { db } = house.app.kernel
    await db.updateTable('notes').set({ favorite: true }).where('id', '=', beta!.id).execute()
    const owner = ownerOf(house)
    const order = async (sort: string) =>
      titlesOf((await owner.json(`/console/notes?sort=${sort}`)).body)[0]![1]
    expect(await order('recent')).toEqual(['gamma', 'Beta', 'alpha'])
    expect(await order('name')).toEqual(['alpha', 'Beta', 'gamma'])
    expect(await order('starred')).toEqual(['Beta', 'gamma', 'alpha'])
    const page = await owner.get('/console/notes')
    expect(page.text.match(/aria-label="Starred"/g)).toHaveLength(1)
  })

  test('filters by parts of titles, descriptions and tags, and takes every character as itself', async () => {
    await using house = await openHouse()
    await write(house, [
      { title: '100% done', tags: ['plan:x_y'] },
      { title: 'Done 100 times', description: 'Backslash \\ here' },
      { title: 'Other', tags: ['plan:xzy', 'ÄRGER'] },
    ])
    const owner = ownerOf(house)
    const found = async (q: string) =>
      titlesOf((await owner.json(`/console/notes?q=${encodeURIComponent(q)}`)).body).flatMap(
        ([, titles]) => titles,
      )
    expect(await found('100%')).toEqual(['100% done'])
    expect(await found('x_y')).toEqual(['100% done'])
    expect(await found('\\')).toEqual(['Done 100 times'])
    expect(await found('BACKSLASH')).toEqual(['Done 100 times'])
    expect(await found('xzy')).toEqual(['Other'])
    expect(await found("'; drop table notes; --")).toEqual([])
    const { body } = await owner.json('/console/notes?q=done')
    expect(body).toMatchObject({ count: 2, query: 'done' })
  })

  test('shows 200 rows and leads to the others, with the filter in force', async () => {
    await using house = await openHouse()
    await write(house, [{ title: 'Pattern' }])
    const { db } = house.app.kernel
    const [row] = await db.selectFrom('notes').selectAll().execute()
    const rows = Array.from({ length: 449 }, (_, i) => ({
      ...row!,
      id: newId(new Date()),
      slug: `n-${i}`,
      title: `Note ${i}`,
      path: `notes/atlas/n-${i}.md`,
      project: i % 3 === 0 ? 'atlas' : 'ledger',
      updated_at: new Date(row!.updated_at.getTime() - i * 1000),
    }))
    await db.insertInto('notes').values(rows).execute()
    const owner = ownerOf(house)
    const shown = async (path: string) => {
      const { body } = await owner.json(path)
      return (body.groups as { notes: { id: string }[] }[]).flatMap(({ notes }) => notes)
    }
    const pages = [
      await shown('/console/notes'),
      await shown('/console/notes?page=2'),
      await shown('/console/notes?page=3'),
    ]
    expect(pages.map((notes) => notes.length)).toEqual([200, 200, 50])
    expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(450)
    const first = await owner.get('/console/notes?q=Note&sort=name')
    expect(first.text).toContain('<b>449</b>')
    expect(first.text).toContain(
      'href="/console/notes?q=Note&amp;sort=name&amp;page=2" rel="next">249 more</a>',
    )
    for (const query of ['', '?sort=name', '?sort=starred', '?q=Note+4&sort=name']) {
      const { id } = rows[430]!
      const { text } = await owner.get(`/console/notes/${id}${query}`)
      expect({ query, row: text.includes(`id="item-${id}"`) }).toEqual({ query, row: true })
    }
    const last = await owner.get('/console/notes?page=3')
    expect(last.text).toContain('rel="prev">Back</a>')
    expect(last.text).not.toContain('rel="next"')
    expect((await owner.json('/console/notes?page=9')).body).toMatchObject({
      groups: [],
      count: 450,
    })
    // A page cuts a group honestly, and leads to the whole of it.
    const whole = await owner.get('/console/notes')
    expect(whole.text).toMatch(
      / of 299 · <a href="\/console\/notes\?project=ledger">all of ledger<\/a>/,
    )
    expect((await owner.json('/console/notes?project=ledger')).body).toMatchObject({ count: 299 })
  })

  test('is narrowed to a project, or to what belongs to none', async () => {
    await using house = await openHouse()
    await write(house, [
      { title: 'One' },
      { title: 'Two', project: 'ledger' },
      { title: 'Three', project: 'global' },
    ])
    const owner = ownerOf(house)
    const of = async (project: string) =>
      titlesOf((await owner.json(`/console/notes?project=${project}`)).body)
    expect(await of('ledger')).toEqual([['ledger', ['Two']]])
    expect(await of('global')).toEqual([['', ['Three']]])
    expect(await of('nothing')).toEqual([])
    const { text } = await owner.get('/console/notes?project=ledger&q=tw')
    expect(text).toContain('aria-label="Remove Project: ledger"')
    expect(text).toContain('<summary>')
    expect(text).toContain('Filter (2)')
  })

  test.each(['recent', 'name', 'starred'])(
    'beside a note stands the page of the list that holds it, sorted by %s',
    async (sort) => {
      await using house = await openHouse()
      await write(house, [{ title: 'Pattern' }])
      const { db } = house.app.kernel
      const [row] = await db.selectFrom('notes').selectAll().execute()
      const rows = Array.from({ length: 410 }, (_, i) => ({
        ...row!,
        id: newId(new Date()),
        slug: `n-${i}`,
        title: `note ${(i * 7919) % 100}`,
        path: `notes/atlas/n-${i}.md`,
        favorite: i % 3 === 0,
        updated_at: new Date(row!.updated_at.getTime() - (i % 50) * 1000),
      }))
      await db.insertInto('notes').values(rows).execute()
      const owner = ownerOf(house)
      for (const page of [1, 2, 3]) {
        const { body } = await owner.json(`/console/notes?sort=${sort}&page=${page}`)
        const listed = (body.groups as { notes: { id: string }[] }[]).flatMap(({ notes }) => notes)
        for (const id of [listed[0]!.id, listed.at(-1)!.id]) {
          const { text } = await owner.get(`/console/notes/${id}?sort=${sort}`)
          expect(text).toMatch(new RegExp(`id="item-${id}"[^>]* aria-current="true"`))
        }
      }
    },
  )

  test('opens on the note that was touched last, and on nothing where nothing matches', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    expect((await owner.get('/console/notes')).text).toContain('No notes yet')
    const [, last] = await write(house, [{ title: 'Zebra' }, { title: 'Apple' }])
    const { text } = await owner.get('/console/notes?sort=name')
    expect(text).toContain(`data-open="${last!.id}"`)
    const none = await owner.get('/console/notes?q=nothing-like-it')
    expect(none.text).toContain('Nothing matches')
    expect(none.text).not.toContain('data-open')
  })
})

describe('a note', () => {
  test('is shown whole, in the spelling of JSON', async () => {
    await using house = await openHouse()
    const [note] = await write(house, [
      {
        title: 'Retry policy',
        description: 'When to try again',
        body: 'Twice, *never* for payments.\n',
        tags: ['api'],
        plan: 'hardening',
        source_url: 'https://example.com/retry',
      },
    ])
    const { body } = await ownerOf(house).json(`/console/notes/${note!.id.toLowerCase()}`)
    expect(body).toEqual({
      id: note!.id,
      slug: 'retry-policy',
      title: 'Retry policy',
      description: 'When to try again',
      project: 'atlas',
      body: 'Twice, *never* for payments.\n',
      bodyAvailable: true,
      words: 4,
      tags: ['api', 'created-by:agent', 'plan:hardening'],
      sourceUrl: 'https://example.com/retry',
      model: '',
      favorite: false,
      created: expect.any(String),
      updated: expect.any(String),
      contentHash: await house.sha256('notes/atlas/retry-policy.md'),
      filePath: 'notes/atlas/retry-policy.md',
      absPath: join(house.dir, 'notes/atlas/retry-policy.md'),
      history: [
        {
          id: expect.any(String),
          ts: expect.any(String),
          kind: 'note.written',
          session: '',
          summary: expect.stringContaining('Retry policy'),
        },
      ],
    })
  })

  test('leaves no event when the owner looks: that is no demand', async () => {
    await using house = await openHouse()
    const [note] = await write(house, [{ title: 'Quiet' }])
    const owner = ownerOf(house)
    for (const query of ['', '?peek=1', '?reader=1', '?format=json']) {
      expect((await owner.get(`/console/notes/${note!.id}${query}`)).status).toBe(200)
    }
    expect(await house.events('note.read')).toEqual([])
  })

  test('is shown past every fence, since the owner reads', async () => {
    await using house = await openHouse()
    const inside = await house.inside('crypt', 'sealed')
    const { id } = await inside.call('notes_create', { title: 'Sealed', body: 'within' })
    expect((await ownerOf(house).json(`/console/notes/${id}`)).body).toMatchObject({
      project: 'crypt',
      body: 'within',
    })
  })

  test('says what is wrong with its file, and shows what was understood last', async () => {
    await using house = await openHouse()
    const [broken, gone] = await write(house, [
      { title: 'Broken', body: 'as it was' },
      { title: 'Gone', body: 'as it was' },
    ])
    const owner = ownerOf(house)
    await writeFile(join(house.dir, 'notes/atlas/broken.md'), '---\ntitle: [\n---\nnew text\n')
    await rm(join(house.dir, 'notes/atlas/gone.md'))
    for (const [note, words] of [
      [broken!, 'The file cannot be read as a note'],
      [gone!, 'its file is gone'],
    ] as const) {
      const page = await owner.get(`/console/notes/${note.id}`)
      expect(page.status).toBe(200)
      expect(page.text).toContain(words)
      expect(page.text).toContain('as it was')
      expect(page.text).not.toContain('new text')
      const { body } = await owner.json(`/console/notes/${note.id}`)
      expect(body).toMatchObject({
        bodyAvailable: false,
        body: 'as it was',
        problem: expect.any(String),
      })
      expect(body).not.toHaveProperty('path')
    }
  })

  test('is shown as the file says, before the rows have caught up', async () => {
    await using house = await openHouse()
    const [note] = await write(house, [{ title: 'Edited', body: 'old' }])
    const path = join(house.dir, 'notes/atlas/edited.md')
    await writeFile(path, (await readFile(path, 'utf8')).replace('old', 'by an editor'))
    const { body } = await ownerOf(house).json(`/console/notes/${note!.id}`)
    expect(body.body).toContain('by an editor')
    expect(body.contentHash).toBe(await house.sha256('notes/atlas/edited.md'))
  })

  test('is opened in an editor wherever its file lies', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'loam c# $& why? 50%-'))
    await using house = await openHouse({
      dir,
      env: { LOAM_CONSOLE_EDITOR_URL: 'vscode://file{path}' },
    })
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'Quay', body: 'b', project: 'atlas' })
    const about = { kind: 'gotcha', description: 'd', body: 'b', project: 'atlas' }
    const memory = await agent.call('memory_write', { name: 'quay', ...about })
    for (const path of [`notes/${String(id)}`, `memories/${String(memory['id'])}`]) {
      const { body } = await ownerOf(house).json(`/console/${path}`)
      const { pathname, search, hash } = new URL(body.editorUrl)
      expect([decodeURIComponent(pathname), search, hash]).toEqual([body.absPath, '', ''])
    }
    await rm(dir, { recursive: true, force: true })
  })

  test('leads to the editor where one is configured', async () => {
    await using house = await openHouse({
      env: { LOAM_CONSOLE_EDITOR_URL: 'vscode://file{path}' },
    })
    const [note] = await write(house, [{ title: 'In the editor' }])
    const { text } = await ownerOf(house).get(`/console/notes/${note!.id}`)
    expect(text).toContain(`href="vscode://file${house.dir}/notes/atlas/in-the-editor.md"`)
  })

  test('names its source as a link only when that is one of the web', async () => {
    await using house = await openHouse()
    const [note] = await write(house, [{ title: 'Sourced', source_url: 'https://example.com/' }])
    const owner = ownerOf(house)
    expect((await owner.get(`/console/notes/${note!.id}`)).text).toContain(
      'href="https://example.com/"',
    )
    const path = join(house.dir, 'notes/atlas/sourced.md')
    const file = await readFile(path, 'utf8')
    await writeFile(path, file.replace('https://example.com/', 'javascript:alert(1)'))
    const { text } = await owner.get(`/console/notes/${note!.id}`)
    expect(text).not.toContain('href="javascript')
  })
})
