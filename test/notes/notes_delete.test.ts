import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'

describe('notes_delete', () => {
  test('removes file, row and passages, and leaves no pointer', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'zebra', project: 'atlas' })

    expect(await agent.call('notes_delete', { id })).toEqual({ id, status: 'deleted' })

    expect(await house.files()).toEqual([])
    await expect(agent.call('notes_read', { id })).rejects.toThrow('notes_read: no note with id')
    expect((await agent.call('recall', { query: 'zebra', project: 'atlas' }))['hits']).toEqual([])
    expect((await house.events('note.written')).at(-1)).toMatchObject({
      item_id: id,
      project: 'atlas',
      payload: { slug: 't', deleted: true },
    })
  })

  test('takes its text out of what was recorded of it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'one', project: 'atlas' })
    const edits = [{ old_string: 'one', new_string: 'zebra' }]
    await agent.call('notes_edit', { id, edits })
    expect((await house.events('note.written')).at(-1)?.payload['diff']).toContain('zebra')

    await agent.call('notes_delete', { id })

    const [, edited] = await house.events('note.written')
    expect(edited?.payload).toEqual({ title: 'T', edited: true })
  })

  test('frees the slug', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'one', project: 'atlas' })
    await agent.call('notes_delete', { id })

    const again = await agent.call('notes_create', { title: 'T', body: 'two', project: 'atlas' })

    expect(again['id']).not.toBe(id)
  })

  test('refuses an id that is not there, and one that is gone', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'atlas' })
    await agent.call('notes_delete', { id })

    await expect(agent.call('notes_delete', { id })).rejects.toThrow(
      `notes_delete: no note with id "${String(id)}"`,
    )
  })
})
