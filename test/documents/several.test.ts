import { describe, expect, test } from 'vitest'
import type { Agent, Answer } from '../helpers/agent.ts'
import { openHouse } from '../helpers/house.ts'

const UNKNOWN = '01K9ZC4T7Q8V2M5N6P3R1S0WXY'

const note = async (agent: Agent, title: string, body: string, project = 'atlas') =>
  (await agent.call('notes_create', { title, body, project }))['id'] as string

const memory = (agent: Agent, name: string, body: string, project = 'atlas') =>
  agent.call('memory_write', { name, kind: 'gotcha', description: name, body, project })

describe('several in one call', () => {
  test('are answered in the order they were asked for, a missing one in its place', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const [one, two] = [await note(agent, 'One', 'first'), await note(agent, 'Two', 'second')]

    const { notes } = await agent.call('notes_read', {
      ids: [two, UNKNOWN, 'one', 'none', two],
      project: 'atlas',
    })

    expect(notes).toMatchObject([
      {
        id: two,
        title: 'Two',
        body: 'second',
        content_hash: await house.sha256('notes/atlas/two.md'),
      },
      { asked: UNKNOWN, missing: `no note with id "${UNKNOWN}"` },
      { id: one, title: 'One', body: 'first' },
      {
        asked: 'none',
        missing:
          'no note with the slug "none" in project "atlas" nor in global; try recall, or its id',
      },
    ])
    expect(await house.events('note.read')).toHaveLength(2)
  })

  test('are memories as well, of other projects, too', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await memory(agent, 'one', 'first')
    await memory(agent, 'two', 'second', 'delta')

    const { memories, next } = await agent.call('memory_read', {
      names: 'atlas/one, delta/two, none',
    })

    expect(memories).toMatchObject([
      { id, name: 'one', project: 'atlas', body: 'first' },
      { name: 'two', project: 'delta', body: 'second' },
      { asked: 'none', missing: expect.stringMatching(/^no memory "none" in global/) },
    ])
    expect(next).toBeUndefined()
  })

  test('share the room of one answer, and are read to the end by what it says', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const bodies = Array.from({ length: 20 }, (_, i) => `${i}\n`.repeat(1 + i * 200))
    const ids: string[] = []
    for (const [i, body] of bodies.entries()) ids.push(await note(agent, `Note ${i}`, body))

    const read = new Map<string, string>()
    for (let asked: Answer | undefined = { ids }; asked;) {
      const raw = await agent.raw('notes_read', asked)
      const [part] = raw.content as { text: string }[]
      expect(Buffer.byteLength(part!.text)).toBeLessThan(40_000)
      const { notes, next } = raw.structuredContent as Answer
      for (const entry of notes) {
        let { body } = entry
        for (let more = entry.next; more;) {
          expect(entry).toMatchObject({ partial: true })
          const answer = await agent.call('notes_read', more)
          body += answer['body']
          more = answer['next']
        }
        read.set(entry.id, body)
      }
      asked = next
    }

    expect(ids.map((id) => read.get(id))).toEqual(bodies)
  })

  test('that are left are read where the first of them were looked up', async () => {
    await using house = await openHouse()
    const agent = await house.inside('atlas')
    const names = ['one', 'two', 'three', 'four']
    for (const name of names) {
      await note(agent, name, `${name}\n`.repeat(5_000), 'delta')
      await memory(agent, name, `${name}\n`.repeat(5_000), 'delta')
      await memory(agent, name, 'another one', 'atlas')
    }
    const project = 'delta'

    const { next: notes } = await agent.call('notes_read', { ids: names, project })
    const { next: memories } = await agent.call('memory_read', { names, project })

    expect(notes).toEqual({ ids: names.slice(-notes.ids.length), project })
    expect((await agent.call('notes_read', notes))['notes'][0]).toMatchObject({ project })
    expect(memories).toEqual({ names: names.slice(-memories.names.length), project })
    expect((await agent.call('memory_read', memories))['memories'][0]).toMatchObject({ project })
  })

  test('are missing behind a fence as if they were not there', async () => {
    await using house = await openHouse()
    const insider = await house.inside('ledger', 'confidential')
    const agent = await house.connect()
    const fenced = await note(insider, 'Fenced', 'secret', 'ledger')

    const { notes } = await agent.call('notes_read', { ids: [fenced, UNKNOWN] })

    expect(notes[0]).toEqual({ asked: fenced, missing: notes[1].missing.replace(UNKNOWN, fenced) })
    expect(await house.events('note.read')).toEqual([])
  })

  test.each([
    [
      'notes_read',
      { ids: ['a'], id: UNKNOWN },
      'pass ids, or the id or slug of one note, not both',
    ],
    ['notes_read', { ids: ['a'], section: 'x' }, 'section, offset and limit are of one note'],
    ['notes_read', { ids: Array(21).fill('a') }, 'invalid ids'],
    ['memory_read', { names: ['a'], name: 'b' }, 'pass names, or the id or name of one memory'],
    ['memory_read', { names: ['a'], offset: 0 }, 'section, offset and limit are of one memory'],
    ['memory_read', { names: Array(21).fill('a') }, 'invalid names'],
  ])('%s refuses %j', async (tool, args, reason) => {
    await using house = await openHouse()
    const agent = await house.connect()

    await expect(agent.call(tool, args)).rejects.toThrow(`${tool}: ${reason}`)
  })
})
