import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Agent, Answer } from '../helpers/agent.ts'
import { openHouse } from '../helpers/house.ts'
import { readWhole } from '../helpers/read-whole.ts'

const BODY = `Before.

# Guide

## Install

apt install

## Set up

one
two
`

/** What differs between a note and a memory. */
interface Way {
  read: 'notes_read' | 'memory_read'
  file: string
  /** Writes the document, and says how the tools are to name it. */
  write(agent: Agent, body: string): Promise<{ id: string; byEdits: Record<string, unknown> }>
  edit: string
  append: string
  /** Replaces the whole body. */
  replace(agent: Agent, id: string, body: string, expect_hash: string): Promise<Answer>
}

const NOTE: Way = {
  read: 'notes_read',
  file: 'notes/atlas/long.md',
  async write(agent, body) {
    const { id } = await agent.call('notes_create', { title: 'Long', body, project: 'atlas' })
    return { id, byEdits: { id } }
  },
  edit: 'notes_edit',
  append: 'notes_append',
  replace: (agent, id, body, expect_hash) => agent.call('notes_update', { id, body, expect_hash }),
}

const MEMORY: Way = {
  read: 'memory_read',
  file: 'memory/atlas/long.md',
  async write(agent, body) {
    const { id } = await agent.call('memory_write', { ...FACT, body })
    return { id, byEdits: { name: 'long', project: 'atlas' } }
  },
  edit: 'memory_edit',
  append: 'memory_append',
  replace: (agent, _id, body, expect_hash) =>
    agent.call('memory_write', { ...FACT, body, expect_hash }),
}

const FACT = { name: 'long', kind: 'runbook', description: 'How it is set up', project: 'atlas' }

/** `bytes` of lines under headings, told apart by their numbers. */
function textOf(bytes: number): string {
  let text = ''
  for (let i = 0; text.length < bytes; i++) {
    text +=
      i % 50 === 0
        ? `## Part ${i / 50}\n`
        : `line ${i} of a text that is ${'long '.repeat(i % 9)}\n`
  }
  return text.slice(0, bytes)
}

describe.each([
  ['a note', NOTE],
  ['a memory', MEMORY],
])('%s', (_, way) => {
  test('is answered whole up to 6,000 tokens, and above that in part', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await way.write(agent, textOf(24_000))
    const whole = await agent.call(way.read, { id })
    expect(whole['body']).toBe(textOf(24_000))
    for (const key of ['partial', 'part', 'next', 'headings']) expect(whole).not.toHaveProperty(key)
    expect(whole['content_hash']).toBe(await house.sha256(way.file))

    await way.replace(agent, id, textOf(24_001), '')
    const { body, partial, content_hash, part, next } = await agent.call(way.read, { id })
    expect(partial).toBe(true)
    expect(content_hash).toBe(`partial:${await house.sha256(way.file)}`)
    expect(textOf(24_001).startsWith(body)).toBe(true)
    expect(body.endsWith('\n')).toBe(true)
    expect(next).toEqual({ id, offset: part.lines })
  })

  test('of 300 kB is read to its end by what the answers say, each within what clients take', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const text = textOf(300_000)
    const { id } = await way.write(agent, text)

    expect(await readWhole(agent, way.read, { id })).toBe(text)

    const raw = await agent.raw(way.read, { id })
    const [part] = raw.content as { text: string }[]
    expect(Buffer.byteLength(part!.text)).toBeLessThan(40_000)
    const { headings, part: told } = raw.structuredContent as Answer
    expect(told).toMatchObject({ offset: 0, tokens: 75_000 })
    expect(headings.slice(0, 2)).toEqual([
      { section: 'part-0', level: 2, tokens: expect.any(Number) },
      { section: 'part-1', level: 2, tokens: expect.any(Number) },
    ])
    const section = await agent.call(way.read, { id, section: headings[2].section })
    expect(section['body']).toMatch(/^## Part 2\n/)
    expect(section['body'].length).toBeLessThan(text.length)
  })

  test('of one line of 300 kB is read to its end, too', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const text = '🦊x'.repeat(60_000)
    const { id } = await way.write(agent, text)

    expect(await readWhole(agent, way.read, { id })).toBe(text)
  })

  test('is read by a section, with what is below it', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await way.write(agent, BODY)
    const read = (args: object) => agent.call(way.read, { id, ...args })

    expect(await read({ section: 'Install' })).toMatchObject({
      body: '## Install\n\napt install\n\n',
      partial: true,
      part: { section: 'install', offset: 0, lines: 4, of: 4 },
    })
    expect((await read({ section: 'guide/set-up' }))['body']).toBe('## Set up\n\none\ntwo\n')
    expect((await read({ section: 'guide' }))['body']).toBe(BODY.slice('Before.\n\n'.length))
    expect(await read({ section: 'Install' })).not.toHaveProperty('next')
    await expect(read({ section: 'Remove' })).rejects.toThrow(
      `${way.read}: no section "Remove"; the headings are guide, install, set-up`,
    )
  })

  test('is read by lines, of the whole or of a section', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id } = await way.write(agent, BODY)
    const read = (args: object) => agent.call(way.read, { id, ...args })

    const first = await read({ limit: 1 })
    expect(first).toMatchObject({
      body: 'Before.\n',
      part: { offset: 0, lines: 1, of: 12 },
      next: { id, offset: 1 },
      headings: [
        { section: 'guide', level: 1 },
        { section: 'install', level: 2 },
        { section: 'set-up', level: 2 },
      ],
    })
    expect(await read({ section: 'Set up', offset: 2, limit: 1 })).toMatchObject({
      body: 'one\n',
      next: { id, section: 'set-up', offset: 3 },
    })
    expect(await read({ offset: 0, limit: 12 })).toMatchObject({
      body: BODY,
      content_hash: await house.sha256(way.file),
    })
    await expect(read({ offset: 12 })).rejects.toThrow(
      /offset 12 is past the end: the (note|memory) has 12 lines, from 0/,
    )
    await expect(read({ section: 'Set up', offset: 4 })).rejects.toThrow('has 4 lines')
    await expect(read({ offset: -1 })).rejects.toThrow('invalid offset')
    await expect(read({ limit: 0 })).rejects.toThrow('invalid limit')
  })

  test('of which a part was read is edited and appended to, but not replaced', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id, byEdits } = await way.write(agent, BODY)
    const { content_hash } = await agent.call(way.read, { id, section: 'Install' })

    await expect(way.replace(agent, id, 'new', content_hash)).rejects.toThrow(
      /expect_hash is of a part: you have not read the whole (note|memory), and body replaces all of it/,
    )
    const edits = [{ old_string: 'apt install', new_string: 'dnf install' }]
    const edited = await agent.call(way.edit, { ...byEdits, edits, expect_hash: content_hash })
    // What was not read before the edit is not read after it.
    expect(edited['content_hash']).toBe(`partial:${await house.sha256(way.file)}`)
    await expect(way.replace(agent, id, 'new', edited['content_hash'])).rejects.toThrow('of a part')
    const appended = { ...byEdits, body: 'more', expect_hash: edited['content_hash'] }
    await agent.call(way.append, appended)

    const whole = await agent.call(way.read, { id })
    expect(whole['body']).toMatch(/dnf install[^]*more\n$/)
    await way.replace(agent, id, 'new', whole['content_hash'])
    expect((await agent.call(way.read, { id }))['body']).toBe('new')
  })

  test('that others changed since a part was read takes appends without a hash, and nothing else', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const { id, byEdits } = await way.write(agent, BODY)
    const { content_hash } = await agent.call(way.read, { id, limit: 1 })
    await appendFile(join(house.dir, way.file), 'by hand\n')

    const edits = [{ old_string: 'apt', new_string: 'dnf' }]
    const stale = { ...byEdits, expect_hash: content_hash }
    for (const call of [
      () => agent.call(way.edit, { ...stale, edits }),
      () => agent.call(way.append, { ...stale, body: 'more' }),
      () => way.replace(agent, id, 'new', content_hash),
    ]) {
      await expect(call()).rejects.toThrow(/expect_hash "partial:[0-9a-f]{64}" is stale/)
    }
    await agent.call(way.append, { ...byEdits, body: 'more' })
    expect((await agent.call(way.read, { id }))['body']).toMatch(/by hand\n[^]*more\n$/)
  })

  test('is the same text in windows of any size', async () => {
    await using house = await openHouse()
    const agent = await house.connect()
    const text = `${BODY}\r\n\r\n🦊\r\nlast without an end`
    const { id } = await way.write(agent, text)

    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), async (limit) => {
        let read = ''
        for (let asked: object | undefined = { id }; asked;) {
          const answer = await agent.call(way.read, { ...asked, limit })
          read += answer['body']
          asked = answer['next']
        }
        expect(read).toBe(text)
      }),
      { numRuns: 8 },
    )
  })
})
