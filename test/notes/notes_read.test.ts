import { rm, writeFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'

describe('notes_read', () => {
  test('answers the whole note and the hash of its file', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const body = 'line\r\n\n  two\ttabs  \n\n'
    const { id } = await agent.call('notes_create', { title: 'T', body, project: 'atlas' })

    const note = await agent.call('notes_read', { id })

    expect(note).toEqual({
      id,
      title: 'T',
      slug: 't',
      description: '',
      project: 'atlas',
      body,
      tags: ['created-by:agent'],
      source_url: '',
      created: expect.stringMatching(/^20\d\d-.*Z$/),
      updated: expect.stringMatching(/^20\d\d-.*Z$/),
      content_hash: await house.sha256('notes/atlas/t.md'),
    })
  })

  test('finds a slug in the project first and in global after it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    await agent.call('notes_create', { title: 'Both', body: 'global', project: 'global' })
    await agent.call('notes_create', { title: 'Both', body: 'own', project: 'atlas' })
    await agent.call('project_create', { name: 'delta' })

    const read = async (args: Record<string, unknown>) =>
      (await agent.call('notes_read', args))['body']
    expect(await read({ slug: 'both', project: 'atlas' })).toBe('own')
    expect(await read({ name: 'BOTH', project: 'delta' })).toBe('global')
    expect(await read({ slug: 'Both' })).toBe('global')
  })

  test('records the demand', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'atlas' })

    await agent.call('notes_read', { id })

    expect(await house.events('note.read')).toEqual([
      expect.objectContaining({ item_id: id, project: 'atlas', payload: { slug: 't' } }),
    ])
  })

  test('answers what stands in the file when another program has changed it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'old', project: 'atlas' })
    const path = join(house.dir, 'notes/atlas/t.md')
    await writeFile(path, (await readFile(path, 'utf8')).replace('old', 'changed by hand zebra'))

    const note = await agent.call('notes_read', { id })

    expect(note['body']).toBe('changed by hand zebra')
    expect(note['content_hash']).toBe(await house.sha256('notes/atlas/t.md'))
    const { hits } = await agent.call('recall', { query: 'zebra', project: 'atlas' })
    expect(hits).toHaveLength(1)
  })

  test('says when the file was removed, and does not bring it back', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'atlas' })
    await rm(join(house.dir, 'notes/atlas/t.md'))

    await expect(agent.call('notes_read', { id })).rejects.toThrow(/^notes_read: no note with id/)
    await expect(agent.call('notes_read', { id })).rejects.toThrow(/^notes_read: no note with id/)
    await expect(house.sha256('notes/atlas/t.md')).rejects.toThrow('ENOENT')
  })

  test('says what is wrong with a file that cannot be understood', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'atlas' })
    await writeFile(join(house.dir, 'notes/atlas/t.md'), 'no head at all')

    await expect(agent.call('notes_read', { id })).rejects.toThrow(
      "notes_read: the note's file notes/atlas/t.md cannot be understood: " +
        'it does not begin with a line of three dashes',
    )
  })

  describe('refuses', () => {
    test.each([
      [{}, 'id or slug is required; recall finds notes by content'],
      [{ id: 'A', slug: 'b' }, 'pass id or slug, not both'],
      [{ id: '01K9ZC4T7Q8V2M5N6P3R1S0WXY' }, 'no note with id "01K9ZC4T7Q8V2M5N6P3R1S0WXY"'],
      [
        { slug: 'x', project: 'atlas' },
        'no note with the slug "x" in project "atlas" nor in global',
      ],
      [{ slug: 'x' }, 'no note with the slug "x" in global; try recall, or its id'],
      [{ slug: 'x', project: 'a/b' }, 'invalid project "a/b"'],
    ])('%j', async (args, reason) => {
      await using house = await openHouse()
      const agent = await house.connect()
      await agent.call('project_create', { name: 'atlas' })

      await expect(agent.call('notes_read', args)).rejects.toThrow(`notes_read: ${reason}`)
    })
  })
})
