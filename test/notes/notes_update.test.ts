import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'

describe('notes_update', () => {
  test('keeps a note at a hundred tags, and takes back a list that has more already', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const tags = (from: number) => Array.from({ length: 99 }, (_, i) => `t${from + i}`)
    const note = { title: 'T', body: 'b', project: 'atlas', tags: tags(0) }
    const { id } = await agent.call('notes_create', note)

    const add = agent.call('notes_update', { id, tags_add: tags(99) })
    await expect(add).rejects.toThrow('notes_update: an item has at most 100 tags; take some away')

    const before = (await agent.call('notes_read', { id }))['tags'] as string[]
    expect(before).toHaveLength(100)
    await agent.call('notes_update', { id, tags: before })
    await agent.call('notes_update', { id, tags_add: ['new'], tags_remove: ['t0'] })
    expect((await agent.call('notes_read', { id }))['tags']).toContain('new')
  })

  test('changes what is given and nothing else; slug and id stay', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', {
      title: 'Old title',
      body: 'B',
      description: 'D',
      project: 'atlas',
    })

    const answer = await agent.call('notes_update', { id, title: 'New title' })

    expect(answer).toEqual({
      id,
      title: 'New title',
      content_hash: await house.sha256('notes/atlas/old-title.md'),
    })
    expect(await agent.call('notes_read', { id })).toMatchObject({
      title: 'New title',
      slug: 'old-title',
      body: 'B',
      description: 'D',
    })
  })

  test('blanks a text that is given empty', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', {
      title: 'T',
      body: 'B',
      description: 'D',
      project: 'atlas',
    })

    await agent.call('notes_update', { id, description: '', text: '' })

    expect(await agent.call('notes_read', { id })).toMatchObject({ description: '', body: '' })
  })

  test('replaces tags, then adds, then drops', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'atlas' })

    await agent.call('notes_update', {
      id,
      tags: ['a', 'b'],
      tags_add: 'c, a',
      tags_remove: ['b', 'absent'],
    })
    expect((await agent.call('notes_read', { id }))['tags']).toEqual(['a', 'c'])

    await agent.call('notes_update', { id, title: 'T2', tags: [] })
    expect((await agent.call('notes_read', { id }))['tags']).toEqual(['a', 'c'])
  })

  test('keeps keys of the file that are not its own', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'atlas' })
    const path = join(house.dir, 'notes/atlas/t.md')
    const text = await readFile(path, 'utf8')
    await writeFile(path, text.replace('tags:', 'reviewed_by: ana\ntags:'))

    await agent.call('notes_update', { id, title: 'T2' })

    expect(await readFile(path, 'utf8')).toContain('\nreviewed_by: ana\n---\n')
  })

  test('moves a note, registering the project, with the same id and slug', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'zebra', project: 'atlas' })

    await agent.call('notes_update', { id, project: 'delta' })

    expect(await agent.call('notes_read', { id })).toMatchObject({ project: 'delta', slug: 't' })
    expect(await house.files()).toEqual(['notes/delta/t.md'])
    const found = async (project: string) =>
      (await agent.call('recall', { query: 'zebra', project }))['hits']
    expect(await found('delta')).toHaveLength(1)
    expect(await found('atlas')).toHaveLength(0)
    expect((await house.events('note.written')).at(-1)).toMatchObject({
      project: 'delta',
      payload: { title: 'T', updated: true },
    })

    await agent.call('notes_update', { id, project: '' })
    expect(await agent.call('notes_read', { id })).toMatchObject({ project: 'global' })
  })

  test('refuses a move onto a slug that is taken, and changes nothing', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'one', project: 'atlas' })
    await agent.call('notes_create', { title: 'T', body: 'two', project: 'delta' })

    await expect(agent.call('notes_update', { id, project: 'delta', title: 'X' })).rejects.toThrow(
      'notes_update: the slug "t" is taken by another note in delta',
    )
    expect(await agent.call('notes_read', { id })).toMatchObject({ project: 'atlas', title: 'T' })
  })

  test('refuses a stale hash, names both, and registers no project', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'atlas' })
    const { content_hash } = await agent.call('notes_read', { id })
    await agent.call('notes_append', { id, body: 'more' })
    const now = await house.sha256('notes/atlas/t.md')

    await expect(
      agent.call('notes_update', { id, title: 'X', expect_hash: content_hash, project: 'delta' }),
    ).rejects.toThrow(
      `notes_update: expect_hash "${String(content_hash)}" is stale: its content_hash is ${now}; read the note again`,
    )
    expect((await agent.call('project_list'))['projects']).toHaveLength(1)
    await agent.call('notes_update', { id, title: 'X', expect_hash: ` ${now.toUpperCase()} ` })
  })

  test('lets exactly one of fifty with the same hash win', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'atlas' })
    const { content_hash: expect_hash } = await agent.call('notes_read', { id })

    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) =>
        agent.call('notes_update', { id, body: `by ${n}`, expect_hash }),
      ),
    )

    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  describe('refuses', () => {
    test.each([
      [{}, 'nothing to update: pass title, description, body'],
      [{ expect_hash: 'abc' }, 'nothing to update'],
      [{ title: ' ' }, 'invalid title: it is empty'],
      [{ title: 'a\\b' }, 'invalid title'],
      [{ project: 'all' }, 'project "all" is reserved'],
      [{ project: 'No Slug' }, 'invalid project "No Slug"'],
      [{ id: '01K9ZC4T7Q8V2M5N6P3R1S0WXY', title: 'X' }, 'no note with id'],
    ])('%j', async (args, reason) => {
      await using house = await openHouse()
      const agent = await house.connect()
      const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'atlas' })

      await expect(agent.call('notes_update', { id, ...args })).rejects.toThrow(
        `notes_update: ${reason}`,
      )
    })
  })
})
