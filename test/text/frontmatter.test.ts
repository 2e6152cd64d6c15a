import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseFrontmatter, renderFrontmatter, unknownKeys } from '../../src/text/frontmatter.ts'

const wellFormed = fc
  .string({ unit: 'binary', maxLength: 200 })
  .filter((text) => text.isWellFormed() && !text.includes('\0'))

describe('a file of knowledge', () => {
  test('keeps the body byte for byte, whatever is in it', () => {
    fc.assert(
      fc.property(wellFormed, wellFormed, (title, body) => {
        const { head, body: read } = parseFrontmatter(renderFrontmatter({ head: { title }, body }))
        expect(head).toEqual({ title })
        expect(read).toBe(body)
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    '---\n',
    '\n---\nx: y\n---\n',
    '\r\nold\rmac\r\n',
    'no newline',
    '  trailing  \n\n\n',
    '',
  ])('keeps %j as a body', (body) => {
    expect(parseFrontmatter(renderFrontmatter({ head: { a: 1 }, body })).body).toBe(body)
  })

  test.each(['20240506123456789', '1.10', '007', '2.0', '0x1F', '1e3', '+1', '-0'])(
    'keeps the number %s as it is spelled, as a text',
    (digits) => {
      const { head, body } = parseFrontmatter(
        Buffer.from(`---\na: ${digits}\nb: [${digits}]\nc: {d: ${digits}}\n---\n`),
      )
      expect(head).toEqual({ a: digits, b: [digits], c: { d: digits } })
      expect(parseFrontmatter(renderFrontmatter({ head, body })).head).toEqual(head)
    },
  )

  test.each([0, 7, -7, 1.5, 2026, 1e21, Infinity])('keeps %s as a number', (number) => {
    const head = { a: number }
    expect(parseFrontmatter(renderFrontmatter({ head, body: '' })).head).toEqual(head)
  })

  test('keeps keys that are not ours, sorted behind ours', () => {
    const value = fc.oneof(
      fc.string().filter((text) => !text.includes('\0') && text.isWellFormed()),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.integer()),
    )
    const key = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/).filter((name) => name !== 'id')
    fc.assert(
      fc.property(fc.dictionary(key, value), (extra) => {
        const bytes = renderFrontmatter({ head: { id: 'x', ...unknownKeys(extra, []) }, body: '' })
        const { head } = parseFrontmatter(bytes)
        expect(unknownKeys(head, ['id'])).toEqual({ ...extra })
        expect(Object.keys(unknownKeys(head, ['id']))).toEqual(Object.keys(extra).sort())
      }),
    )
  })

  test.each([' \n', '\n  \n', 'a\n \nb', '\t\n', 'a\n  ', '  \n\n', ' a\nb'])(
    'keeps %j as a value, alone and in a list',
    (value) => {
      const head = { value, list: [value, 'b'], map: { in: value, [value]: 1 } }
      expect(parseFrontmatter(renderFrontmatter({ head, body: '' })).head).toEqual(head)
    },
  )

  test('values that a tag of YAML makes keep it when they are written again', () => {
    const own =
      'icon: !!binary |-\n  aGVsbG8=\nlabels: !!set\n  ? a\n  ? b\nsteps: !!omap\n  - p: 1\n  - q: 2\n'
    const bytes = Buffer.from(`---\n${own}---\nText.\n`)
    expect(renderFrontmatter(parseFrontmatter(bytes)).toString()).toBe(bytes.toString())
  })

  test('writes lists in one line and long values unfolded', () => {
    const title = 'a very long title '.repeat(20).trim()
    const text = renderFrontmatter({ head: { title, tags: ['a', 'b: c'] }, body: 'B' }).toString()
    expect(text).toBe(`---\ntitle: ${title}\ntags: [a, "b: c"]\n---\nB`)
  })

  test.each([
    ['has too many values', { tags: Array<string>(10_001).fill('a') }],
    ['has too many values', { a: { b: Array.from({ length: 4_000 }, () => ({ c: 1 })) } }],
    ['is larger than 64 KiB', { tags: Array<string>(9_000).fill('eight ch') }],
    ['has too many lines, brackets, commas or keys', { title: ','.repeat(10_001) }],
  ])('is refused before it is written when its head %s', (reason, head) => {
    expect(() => renderFrontmatter({ head, body: '' })).toThrow(
      `the head of the file ${reason}; use fewer or shorter tags`,
    )
  })

  test('reads what it writes of very many values', () => {
    const head = { title: 'T', tags: Array<string>(9_000).fill('a') }
    expect(parseFrontmatter(renderFrontmatter({ head, body: 'b' }))).toEqual({ head, body: 'b' })
  })

  test('reads a head that an editor ended with carriage returns', () => {
    const file = parseFrontmatter(Buffer.from('---\r\ntitle: T\r\n---\r\nbody\r\n'))
    expect(file).toEqual({ head: { title: 'T' }, body: 'body\r\n' })
  })

  describe('is listed as a problem when', () => {
    test.each<[string, Buffer, string]>([
      ['it is empty', Buffer.alloc(0), 'it is empty'],
      ['it is not UTF-8', Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff]), 'it is not UTF-8 text'],
      ['it holds NUL', Buffer.from('---\na: b\n---\n\0'), 'it holds NUL characters'],
      ['it has no head', Buffer.from('# Title\n'), 'it does not begin with a line of three dashes'],
      ['its head is open', Buffer.from('---\na: b\n'), 'its head is not closed'],
      ['its YAML is broken', Buffer.from('---\na: [b\n---\n'), 'its head is not YAML (line'],
      ['a key stands twice', Buffer.from('---\na: b\na: c\n---\n'), 'its head is not YAML'],
      ['its head is a list', Buffer.from('---\n- a\n---\n'), 'its head is not a list of keys'],
      ['its head is a text', Buffer.from('---\nhello\n---\n'), 'its head is not a list of keys'],
      [
        'its list is long',
        Buffer.from(`---\na: [${'b,'.repeat(10_001)}]\n---\n`),
        'too many lines',
      ],
      ['it is a bomb', Buffer.from('---\na: &x [1]\nb: [*x, *x]\n---\n'), 'YAML aliases'],
    ])('%s', (_, bytes, reason) => {
      expect(() => parseFrontmatter(bytes)).toThrow(reason)
    })
  })
})
