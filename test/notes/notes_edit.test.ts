import { describe, expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'
import { readWhole } from '../helpers/read-whole.ts'

describe('notes_edit', () => {
  test('answers the diff of what landed and the new hash', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', {
      title: 'T',
      body: '# Result\np95 41 ms\n',
      project: 'atlas',
    })

    const answer = await agent.call('notes_edit', {
      id,
      edits: [{ old_string: '41', new_string: '39' }],
    })

    expect(answer).toEqual({
      id,
      title: 'T',
      content_hash: await house.sha256('notes/atlas/t.md'),
      diff: '@@ -1,2 +1,2 @@\n # Result\n-p95 41 ms\n+p95 39 ms\n',
    })
    expect((await house.events('note.written')).at(-1)?.payload).toMatchObject({
      title: 'T',
      edited: true,
      diff: answer['diff'],
    })
  })

  test('takes the edits as a JSON text too', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'a a', project: 'atlas' })

    const edits = JSON.stringify([{ old_string: 'a', new_string: 'b', replace_all: 'true' }])
    await agent.call('notes_edit', { id, edits })

    expect((await agent.call('notes_read', { id }))['body']).toBe('b b')
  })

  test('refuses edits that double the body before they fill the memory', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'q', project: 'atlas' })
    const doubled = { old_string: 'q', new_string: 'qq', replace_all: true }

    const edit = agent.call('notes_edit', { id, edits: Array.from({ length: 30 }, () => doubled) })
    await expect(edit).rejects.toThrow(/^notes_edit: edits\[\d+\]: too much to search and replace/)

    const longer = { old_string: 'q', new_string: 'x'.repeat(2 ** 17) }
    await agent.call('notes_edit', { id, edits: [longer] })
    const wider = { old_string: 'x', new_string: 'x'.repeat(40), replace_all: true }
    await expect(agent.call('notes_edit', { id, edits: [wider] })).rejects.toThrow(
      'the note would be larger than 4 MiB',
    )
    expect(await readWhole(agent, 'notes_read', { id })).toBe('x'.repeat(2 ** 17))
  })

  test('applies all edits or none: the file stays byte for byte', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'one', project: 'atlas' })
    const before = await house.sha256('notes/atlas/t.md')

    await expect(
      agent.call('notes_edit', {
        id,
        edits: [
          { old_string: 'one', new_string: 'two' },
          { old_string: 'three', new_string: 'four' },
        ],
      }),
    ).rejects.toThrow('notes_edit: edits[1]: old_string does not occur')
    expect(await house.sha256('notes/atlas/t.md')).toBe(before)
  })

  test('of many at once only those that do not fit are refused, and each is told of', async () => {
    await using house = await openHouse()
    const agents = await Promise.all(Array.from({ length: 8 }, () => house.connect()))
    const slots = Array.from({ length: 24 }, (_, n) => `slot-${n}.`)
    const body = slots.join('\n')
    const { id } = await agents[0]!.call('notes_create', { title: 'T', body, project: 'atlas' })

    const ended = await Promise.allSettled(
      slots.map((slot, n) => {
        const old_string = n % 3 === 0 ? `nowhere-${n}` : slot
        const edits = [{ old_string, new_string: `done-${n}.` }]
        return agents[n % 8]!.call('notes_edit', { id, edits })
      }),
    )

    expect(ended.map(({ status }) => status)).toEqual(
      slots.map((_, n) => (n % 3 === 0 ? 'rejected' : 'fulfilled')),
    )
    const wanted = slots.map((slot, n) => (n % 3 === 0 ? slot : `done-${n}.`)).join('\n')
    expect((await agents[0]!.call('notes_read', { id }))['body']).toBe(wanted)
    const events = (await house.events('note.written')).filter(({ payload }) => payload['edited'])
    const told = events.map(({ payload }) => /\+(done-\d+)/.exec(String(payload['diff']))?.[1])
    expect(told.sort()).toEqual(slots.flatMap((_, n) => (n % 3 === 0 ? [] : [`done-${n}`])).sort())
    const found = await agents[0]!.call('recall', { query: 'done-23', project: 'atlas' })
    expect(JSON.stringify(found)).toContain(String(id))
    const hashes = ended.flatMap((one) =>
      one.status === 'fulfilled' ? [one.value['content_hash']] : [],
    )
    expect(new Set(hashes).size).toBe(hashes.length)
    expect(hashes).toContain(await house.sha256('notes/atlas/t.md'))
  })

  test('refuses a stale hash before it looks at the edits', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await agent.call('notes_create', { title: 'T', body: 'one', project: 'atlas' })
    const { content_hash } = await agent.call('notes_read', { id })
    await agent.call('notes_append', { id, body: 'more' })

    await expect(
      agent.call('notes_edit', {
        id,
        edits: [{ old_string: 'absent', new_string: 'x' }],
        expect_hash: content_hash,
      }),
    ).rejects.toThrow('is stale')
  })

  describe('refuses', () => {
    test.each([
      [[], 'missing required: "edits"'],
      ['not json', 'invalid edits'],
      [[7], 'invalid edits[0]'],
      [[{ old_string: 'x' }], 'edits[0]: new_string is required'],
      [[{ old_string: 'x', new_string: 7 }], 'edits[0]'],
      [[{ old_string: 'T', new_string: 'x', replace_all: 'maybe' }], 'edits[0]'],
      [[{ old_string: '', new_string: 'x' }], 'edits[0]: an empty old_string has no position'],
      [[{ old_string: 'b', new_string: 'b' }], 'edits[0]: old_string and new_string are the same'],
      [[{ old_string: 'o', new_string: 'x' }], 'edits[0]: old_string is not unique'],
    ])('%j', async (edits, reason) => {
      await using house = await openHouse()
      const agent = await house.connect()
      const { id } = await agent.call('notes_create', { title: 'T', body: 'foo b', project: 'p' })

      await expect(agent.call('notes_edit', { id, edits })).rejects.toThrow(reason)
    })
  })
})
