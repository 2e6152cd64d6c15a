import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'

describe('notes_append', () => {
  test('adds a dated paragraph behind a blank line', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'one\n\n\n', project: 'p' })

    const answer = await agent.call('notes_append', { id, text: 'two' })

    expect(answer).toEqual({
      id,
      title: 'T',
      content_hash: await house.sha256('notes/p/t.md'),
    })
    expect((await agent.call('notes_read', { id }))['body']).toMatch(
      /^one\n\n\d{4}-\d\d-\d\d \d\d:\d\d -- two\n$/,
    )
    expect((await house.events('note.written')).at(-1)?.payload).toEqual({
      slug: 't',
      appended: true,
    })
  })

  test('moves the time of the last change forward, whatever the clock does', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'one', project: 'p' })
    const updated = async () => (await house.note(String(id))).updated_at.getTime()
    const first = await updated()
    await house.moveClock('-1 day')

    await agent.call('notes_append', { id, body: 'two' })

    expect(await updated()).toBe(first + 1)
  })

  test('loses nothing of what fifty agents append at once', async () => {
    await using house = await openHouse()
    const agents = await Promise.all(Array.from({ length: 5 }, () => house.connect()))
    const { id } = await agents[0]!.call('notes_create', { title: 'T', body: 'one', project: 'p' })

    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        agents[n % 5]!.call('notes_append', { id, body: `entry-${n}.` }),
      ),
    )

    const { body } = await agents[0]!.call('notes_read', { id })
    for (let n = 0; n < 50; n++) expect(String(body).split(`-- entry-${n}.\n`)).toHaveLength(2)
  })

  describe('refuses', () => {
    test.each([
      [{ body: ' \n ' }, 'body must not be blank'],
      [{}, 'missing required: "body" (or "content", "text")'],
      [{ id: '01K9ZC4T7Q8V2M5N6P3R1S0WXY', body: 'x' }, 'no note with id'],
    ])('%j', async (args, reason) => {
      await using house = await openHouse()
      const agent = await house.connect()
      const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'p' })

      await expect(agent.call('notes_append', { id, ...args })).rejects.toThrow(
        `notes_append: ${reason}`,
      )
    })
  })

  test('refuses to grow a note past what anybody reads', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'B', project: 'p' })
    const chunk = 'word '.repeat(190_000)
    for (let n = 0; n < 4; n++) await agent.call('notes_append', { id, body: chunk })

    await expect(agent.call('notes_append', { id, body: chunk })).rejects.toThrow(
      'notes_append: the note would be larger than 4 MiB; begin a new one and link it',
    )
  })
})
