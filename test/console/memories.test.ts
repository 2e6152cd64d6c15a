import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/kernel/id.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { ownerOf } from './owner.ts'

const about = { kind: 'gotcha', description: 'd', body: 'What the agent learnt.', project: 'atlas' }

async function write(house: House, memories: Record<string, unknown>[]): Promise<string[]> {
  const alice = await house.connect()
  const ids: string[] = []
  for (const memory of memories) {
    ids.push((await alice.call('memory_write', { ...about, ...memory }))['id'] as string)
  }
  return ids
}

type Library = {
  groups: { project: string; kinds: { kind: string; memories: { name: string }[] }[] }[]
}

const namesOf = ({ groups }: Library) =>
  groups.map(({ project, kinds }) => [
    project,
    kinds.map(({ kind, memories }) => [kind, memories.map(({ name }) => name)]),
  ])

describe('the library of memories', () => {
  test('groups by project, what holds everywhere first, and by kind in the order of kinds', async () => {
    await using house = await openHouse()
    await write(house, [
      { name: 'everywhere', project: 'global' },
      { name: 'one' },
      { name: 'two', kind: 'constraint' },
      { name: 'three', project: 'ledger' },
      { name: 'four' },
    ])
    const { body } = await ownerOf(house).json('/console/memories')
    expect(namesOf(body)).toEqual([
      ['', [['gotcha', ['everywhere']]]],
      [
        'atlas',
        [
          ['constraint', ['two']],
          ['gotcha', ['four', 'one']],
        ],
      ],
      ['ledger', [['gotcha', ['three']]]],
    ])
    expect(body).toMatchObject({ activeCount: 5, inactiveCount: 0, inactive: [], sort: 'recent' })
    expect(body.groups[1].count).toBe(3)
    expect(body.groups[1].kinds[0].memories[0]).toMatchObject({
      id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      ...{ name: 'two', kind: 'constraint', project: 'atlas', status: 'active' },
      ...{ description: 'd', injects: 0, reads: 0 },
      filePath: 'memory/atlas/two.md',
      absPath: join(house.dir, 'memory/atlas/two.md'),
    })
  })

  test('is filtered by parts of a name, a description, a kind or a tag, and by project', async () => {
    await using house = await openHouse()
    await write(house, [
      { name: 'csv-newline', description: 'The last row is lost' },
      { name: 'other', tags: ['importer'] },
      { name: 'third', kind: 'runbook', project: 'ledger' },
    ])
    const owner = ownerOf(house)
    const found = async (query: string) =>
      namesOf((await owner.json(`/console/memories?${query}`)).body as Library)
        .flatMap(([, kinds]) => kinds as [string, string[]][])
        .flatMap(([, names]) => names)
    expect(await found('q=NEWLINE')).toEqual(['csv-newline'])
    expect(await found('q=last%20row')).toEqual(['csv-newline'])
    expect(await found('q=importer')).toEqual(['other'])
    expect(await found('q=runbook')).toEqual(['third'])
    expect(await found('q=%25')).toEqual([])
    expect(await found('q=%01')).toEqual([])
    expect(await found('project=ledger')).toEqual(['third'])
  })

  test('sorts by change, name, reach, utility and star, and refuses any other order', async () => {
    await using house = await openHouse()
    const [a, b, c] = await write(house, [
      { name: 'b-two' },
      { name: 'a-one' },
      { name: 'c-three' },
    ])
    const { db } = house.app.kernel
    const stats = { kind: 'memory', last_injected_at: new Date(), as_of: new Date() }
    await db
      .insertInto('item_stats')
      .values([
        { ...stats, id: a!, inject_count: 9 },
        { ...stats, id: b!, inject_count: 2, read_count: 1, read_raw: 3 },
      ])
      .onConflict((conflict) => conflict.columns(['kind', 'id']).doNothing())
      .execute()
    await db.updateTable('memories').set({ favorite: true }).where('id', '=', a!).execute()
    const owner = ownerOf(house)
    const order = async (sort: string) => {
      const { body } = await owner.json(`/console/memories?sort=${sort}`)
      return (namesOf(body as Library)[0]![1] as [string, string[]][])[0]![1]
    }
    expect(await order('recent')).toEqual(['c-three', 'a-one', 'b-two'])
    expect(await order('name')).toEqual(['a-one', 'b-two', 'c-three'])
    expect((await order('reach'))[0]).toBe('b-two')
    expect((await order('utility'))[0]).toBe('a-one')
    expect((await order('starred'))[0]).toBe('b-two')
    const { status, body } = await owner.json('/console/memories?sort=size')
    expect([status, body.error]).toEqual([
      400,
      'invalid sort "size": valid values are recent, name, reach, utility, starred',
    ])
    const page = await owner.get('/console/memories?sort=name')
    expect(page.text).toContain(`data-open="${c}"`)
  })

  test('collects what is believed no longer at its end', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const [id] = await write(house, [{ name: 'over' }, { name: 'stands' }])
    await owner.post(`/console/memories/${id}/archive`)
    const { body } = await owner.json('/console/memories')
    expect(body).toMatchObject({ activeCount: 1, inactiveCount: 1 })
    expect(body.inactive).toMatchObject([{ name: 'over', status: 'archived' }])
    expect((await owner.get('/console/memories')).text).toContain('believed no longer')
  })

  test('turns the pages of what is believed no longer, however much that is', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const { db } = house.app.kernel
    const [first] = await write(house, [{ name: 'over-000' }])
    await owner.post(`/console/memories/${first}/archive`)
    const { embedding: _, ...over } = (await db
      .selectFrom('memories')
      .selectAll()
      .executeTakeFirstOrThrow()) as any
    const rows = Array.from({ length: 450 }, (_, at) => {
      const name = `over-${String(at + 1).padStart(3, '0')}`
      const invalid_at = new Date(over.invalid_at.getTime() + 1_000 * (at + 1))
      return { ...over, id: newId(invalid_at), name, path: `memory/atlas/${name}.md`, invalid_at }
    })
    await db.insertInto('memories').values(rows).execute()

    const list = '/console/memories?status=archived'
    const pages = await Promise.all(
      [1, 2, 3].map((page) => owner.json(`${list}&page=${page}`).then(({ body }) => body)),
    )
    const names = pages.flatMap(({ inactive }) => inactive.map(({ name }: any) => name))
    expect(pages.map(({ inactive }) => inactive.length)).toEqual([200, 200, 51])
    expect(names).toEqual([...rows.map(({ name }) => name).toReversed(), 'over-000'])
    const linkOf = (text: string, rel: string) =>
      new RegExp(`href="([^"]*)" rel="${rel}"`).exec(text)
    const { text } = await owner.get(list)
    expect(text).toContain('200 of 451')
    expect(linkOf(text, 'next')?.[1]).toBe('/console/memories?status=archived&amp;page=2')
    expect(linkOf((await owner.get(`${list}&page=3`)).text, 'next')).toBeNull()

    // The one that ended last is open.
    expect(text).toContain('<b>451</b> match<')
    expect(text).toContain(`id="title-${rows.at(-1).id}"`)

    // One that is open stands on its own page, and behind those that are believed it comes first.
    const beside = await owner.get(`/console/memories/${first}?status=archived`)
    expect(beside.text).toContain(`id="item-${first}"`)
    expect(linkOf(beside.text, 'prev')?.[1]).toContain('page=2')
    expect((await owner.get(`/console/memories/${first}`)).text).toContain(`id="item-${first}"`)
    const whole = await owner.get('/console/memories')
    expect(whole.text).toContain('100 of 451')
    expect(whole.text).toContain('href="/console/memories?status=archived"')
  })

  test('is narrowed to one kind, and to one status', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    const [over] = await write(house, [
      { name: 'over' },
      { name: 'old' },
      { name: 'rule', kind: 'constraint' },
    ])
    await write(house, [{ name: 'new', supersedes: 'old' }])
    await owner.post(`/console/memories/${over}/archive`)
    const asked = async (query: string) => {
      const { body } = await owner.json(`/console/memories?${query}`)
      const { groups, inactive, activeCount, inactiveCount } = body
      const believed = (groups as Library['groups']).flatMap(({ kinds }) =>
        kinds.flatMap(({ memories }) => memories.map(({ name }) => name)),
      )
      const ended = (inactive as { name: string }[]).map(({ name }) => name)
      return { believed, ended, counts: [activeCount, inactiveCount] }
    }
    expect(await asked('kind=constraint')).toEqual({
      ...{ believed: ['rule'], ended: [], counts: [1, 0] },
    })
    expect(await asked('status=archived')).toEqual({
      ...{ believed: [], ended: ['over'], counts: [0, 1] },
    })
    expect(await asked('status=superseded')).toEqual({
      ...{ believed: [], ended: ['old'], counts: [0, 1] },
    })
    expect(await asked('status=active&kind=gotcha')).toEqual({
      ...{ believed: ['new'], ended: [], counts: [1, 0] },
    })
    for (const [name, value] of [
      ['kind', 'wish'],
      ['status', 'gone'],
    ])
      expect((await owner.json(`/console/memories?${name}=${value}`)).status).toBe(400)
  })

  test('shows with an open memory the page of the rail that holds it', async () => {
    await using house = await openHouse()
    await write(house, [{ name: 'newest' }])
    const { db } = house.app.kernel
    const [row] = await db.selectFrom('memories').selectAll().execute()
    const rows = Array.from({ length: 240 }, (_, i) => ({
      ...row!,
      id: newId(new Date()),
      name: `older-${i}`,
      path: `memory/atlas/older-${i}.md`,
      updated_at: new Date(row!.updated_at.getTime() - (i + 1) * 1000),
    }))
    await db.insertInto('memories').values(rows).execute()
    const owner = ownerOf(house)
    const marked = async (id: string): Promise<boolean> => {
      const { text } = await owner.get(`/console/memories/${id}`)
      return new RegExp(`id="item-${id}"[^>]*aria-current`).test(text)
    }
    expect(await marked(row!.id)).toBe(true)
    expect(await marked(rows[10]!.id)).toBe(true)
    expect(await marked(rows[230]!.id)).toBe(true)
    const { text } = await owner.get(`/console/memories/${rows[230]!.id}`)
    expect(text).not.toContain(`id="item-${row!.id}"`)
  })

  test('says what it will hold, and offers the next step where nothing matches', async () => {
    await using house = await openHouse()
    const owner = ownerOf(house)
    expect((await owner.get('/console/memories')).text).toContain('No memories yet')
    await write(house, [{ name: 'one' }])
    const { text } = await owner.get('/console/memories?q=nothing-like-it')
    expect(text).toContain('Nothing matches')
    expect(text).toContain('/console/search?q=nothing-like-it&amp;scope=memories')
    const of = async (query: string) => (await owner.get(`/console/memories?${query}`)).text
    expect(await of('kind=stage')).toContain('<p>No memory is like this.</p>')
    expect(await of('status=archived&project=atlas')).toContain(
      '<p>No memory of atlas is like this.',
    )
    expect(await of('project=delta')).toContain('<p>delta has no memories.</p>')
  })
})

describe('a memory', () => {
  test('is shown with its use, and with when and to whom it was told', async () => {
    await using house = await openHouse()
    const alice = await house.inside('atlas')
    const { id } = await alice.call('memory_write', { ...about, name: 'csv-newline' })
    await alice.call('memory_read', { name: 'csv-newline' })
    await house.app.kernel.telemetry.flush()
    const owner = ownerOf(house)
    const { body } = await owner.json(`/console/memories/${String(id).toLowerCase()}`)
    expect(body).toMatchObject({
      ...{ id, name: 'csv-newline', kind: 'gotcha', project: 'atlas', status: 'active' },
      ...{ body: 'What the agent learnt.', bodyAvailable: true, reads: 1 },
      ...{ supersedes: [], successors: [] },
      validFrom: expect.any(String),
      contentHash: await house.sha256('memory/atlas/csv-newline.md'),
    })
    expect(body.utility).toBeGreaterThan(0)
    expect(body.utilityParts.read).toBeCloseTo(body.utility, 1)
    expect(body.told[0]).toMatchObject({ way: 'read', project: 'atlas' })
    const told = body.told[0].sessionId as string
    const of = async (session: string) =>
      (await owner.json(`/console/memories/${id}?session=${session}`)).body.told.length
    expect(await of(told)).toBe(body.told.length)
    expect(await of('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(0)
    const peek = await owner.get(`/console/memories/${id}?peek=1`)
    expect(peek.text).toContain('csv-newline')
    expect(peek.text).not.toContain('<nav')
  })

  test('leaves no event when the owner looks: that is no demand', async () => {
    await using house = await openHouse()
    const [id] = await write(house, [{ name: 'quiet' }])
    const owner = ownerOf(house)
    for (const query of ['', '?peek=1', '?reader=1', '?format=json']) {
      expect((await owner.get(`/console/memories/${id}${query}`)).status).toBe(200)
    }
    expect(await house.events('memory.read')).toEqual([])
  })

  test('leads along the chain of what replaced what, both ways', async () => {
    await using house = await openHouse()
    await write(house, [
      { name: 'first' },
      { name: 'second', supersedes: 'first' },
      { name: 'third', supersedes: 'second' },
    ])
    const owner = ownerOf(house)
    const { db } = house.app.kernel
    const rows = await db.selectFrom('memories').select(['id', 'name']).execute()
    const idOf = (name: string) => rows.find((row) => row.name === name)!.id
    const { body: last } = await owner.json(`/console/memories/${idOf('third')}`)
    expect((last.supersedes as { name: string }[]).map(({ name }) => name)).toEqual([
      'second',
      'first',
    ])
    const { body: first } = await owner.json(`/console/memories/${idOf('first')}`)
    expect(first).toMatchObject({ status: 'superseded', replacedBy: 'second' })
    expect((first.successors as { name: string }[]).map(({ name }) => name)).toEqual([
      'second',
      'third',
    ])
    const { text } = await owner.get(`/console/memories/${idOf('first')}`)
    expect(text).toContain(`<a href="/console/memories/${idOf('second')}">second</a>`)
  })

  test('is archived once: its file says so, agents are not told of it, and a second time is refused', async () => {
    await using house = await openHouse()
    const [id] = await write(house, [{ name: 'over' }])
    const owner = ownerOf(house)
    const done = await owner.post(`/console/memories/${id}/archive`)
    expect([done.status, done.headers.location]).toEqual([
      303,
      '/console/memories?notice=Archived+over.',
    ])
    expect(await readFile(join(house.dir, 'memory/atlas/over.md'), 'utf8')).toContain('> Archived')
    expect((await house.events('memory.archived'))[0]!.payload).toMatchObject({
      name: 'over',
      by: 'console',
    })
    const again = await owner.post(`/console/memories/${id}/archive`)
    expect(again.headers.location).toMatch(/^\/console\/memories\?error=/)
    expect(await house.events('memory.archived')).toHaveLength(1)
    const unknown = await owner.post('/console/memories/01ARZ3NDEKTSV4RRFFQ69G5FAV/archive')
    expect(unknown.status).toBe(404)
  })
})
