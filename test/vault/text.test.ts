import { describe, expect, test } from 'vitest'
import type { Agent } from '../helpers/agent.ts'
import { openHouse, type House } from '../helpers/house.ts'
import { readWhole } from '../helpers/read-whole.ts'

const controls = Array.from({ length: 0x20 }, (_, n) => String.fromCodePoint(n))
  .filter((control) => !'\0\t\n\r'.includes(control))
  .join('')
const c1 = Array.from({ length: 0x20 }, (_, n) => String.fromCodePoint(0x80 + n)).join('')

/** Legal wherever text is kept: it comes back as it was sent. */
const LEGAL: Record<string, string> = {
  'every C0 control but NUL and line breaks': `a${controls}b`,
  'DEL and every C1 control': `a\x7f${c1}b`,
  tabs: 'a\tb',
  'text that turns around': 'a \u202e\u2066evil\u2069 \u200f b',
  'line and paragraph separators': 'a\u2028---\u2029---\u2028b',
  'ninety combining marks': `a${'\u0301'.repeat(90)} b`,
  'emoji of many parts': 'a 👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿 b',
  'planes beyond the first': 'a 𝔘𝔫𝔦 𠜎 \u{10fffd} b',
  'a byte order mark in the middle': 'a\ufeffb',
  noncharacters: 'a\ufffe\uffff\u{1ffff}b',
  'what looks like YAML': 'a: b, [c, {d: "e"}] # f & *g !h |i >j %k @l `m',
  'quotes and backslashes of every kind': `a"b'c\u201cd\u2019e`,
  'a dash line': 'a --- b',
}

/** Legal in a body only. */
const BODIES: Record<string, string> = {
  'carriage returns': 'a\r\nb\r\n',
  'carriage returns alone': 'a\rb\r',
  'blanks at every end': '\n\n  a  \n\n\t\n',
  'a head of its own': '---\nid: x\n---\na\n',
  'a backslash': 'a\\b',
  'one line of 900 kB': 'word '.repeat(180_000),
  'one word of 900 kB': 'w'.repeat(900_000),
  'the beginning of a byte order mark': '\ufeffa',
}

const draft = { title: 'T', body: 'B', project: 'atlas' }

async function calls(house: House): Promise<number> {
  return (await house.events('tool.call')).length
}

describe('odd but legal text', () => {
  test.each(Object.entries(LEGAL))('%s comes back as it was sent', async (_, text) => {
    await using house = await openHouse()
    const agent = await house.connect()
    const sent = { ...draft, title: text, body: text, description: text, tags: [text, 'b'] }

    const { id } = await agent.call('notes_create', sent)

    const note = await agent.call('notes_read', { id })
    expect(note).toMatchObject({ title: text, body: text, description: text })
    expect(note['tags']).toContain(text)
    await agent.call('notes_append', { id, body: text })
    await agent.call('notes_edit', {
      id,
      edits: [{ old_string: text, new_string: 'x', replace_all: true }],
    })
    for (const [tool, args] of [
      ['recall', { query: text }],
      ['recall', { query: 'b', project: text }],
      ['notes_read', { slug: text, project: 'atlas' }],
      ['notes_read', { id: text }],
    ] as const) {
      const { content } = await agent.raw(tool, args)
      expect(JSON.stringify(content)).not.toContain('internal error')
    }
    expect(await calls(house)).toBe(8)
    const [first] = await house.events('tool.call')
    expect(first?.payload).toMatchObject({ tool: 'notes_create', args: { body: text } })
  })

  test.each(Object.entries(BODIES))('%s is kept in a body, byte for byte', async (_, body) => {
    await using house = await openHouse()
    const agent = await house.connect()

    const { id } = await agent.call('notes_create', { ...draft, body })
    expect(await readWhole(agent, 'notes_read', { id })).toBe(body)

    await agent.call('notes_update', { id, body: `${body}!` })
    expect(await readWhole(agent, 'notes_read', { id })).toBe(`${body}!`)
    await agent.call('recall', { query: body.slice(0, 20_000) })
  })
})

describe('text that cannot be kept', () => {
  const WRONG = { NUL: 'a\0b', 'half a surrogate pair': 'a\ud83db', 'the other half': 'a\udc00b' }
  const CALLS: [string, (text: string) => Record<string, unknown>][] = [
    ['notes_create', (title) => ({ ...draft, title })],
    ['notes_create', (body) => ({ ...draft, body })],
    ['notes_create', (description) => ({ ...draft, description })],
    ['notes_create', (tag) => ({ ...draft, tags: ['b', tag] })],
    ['notes_create', (project) => ({ ...draft, project })],
    ['notes_read', (slug) => ({ slug, project: 'atlas' })],
    ['notes_read', (id) => ({ id })],
    ['recall', (query) => ({ query })],
    ['project_create', (name) => ({ name, description: 'D' })],
  ]

  test.each(Object.entries(WRONG))(
    '%s is refused by name, and the call is on record',
    async (_, text) => {
      await using house = await openHouse()
      const agent: Agent = await house.connect()

      for (const [tool, args] of CALLS) {
        const { isError, content } = await agent.raw(tool, args(text))
        expect(isError, `${tool} ${JSON.stringify(args('…'))}`).toBe(true)
        const words = JSON.stringify(content)
        expect(words).not.toContain('internal error')
        expect(words).toMatch(/NUL|surrogate/)
      }

      expect(await house.files()).toEqual([])
      expect(await calls(house)).toBe(CALLS.length)
    },
  )

  test.each([
    ['a title of two lines', { title: 'a\nb' }, 'it spans more than one line'],
    ['a title with a backslash', { title: 'a\\b' }, 'backslash'],
    ['a title of 256 bytes', { title: 'ü'.repeat(128) }, 'longer than 255 bytes'],
    ['a body of nothing but blanks', { body: ' \u2028\t\n' }, 'body must not be blank'],
    ['a project that is no slug', { project: 'At\u202elas' }, 'invalid project'],
  ])('%s is refused', async (_, over, reason) => {
    await using house = await openHouse()
    const agent = await house.connect()

    await expect(agent.call('notes_create', { ...draft, ...over })).rejects.toThrow(reason)

    expect(await house.files()).toEqual([])
  })
})
