import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameProblem, numberedSlug, slugify, titleProblem } from '../../src/text/slug.ts'

describe('a slug', () => {
  test.each([
    ['Tide Tables: cache v2!', 'tide-tables-cache-v2'],
    ['Ünïcode ✓', 'ünïcode'],
    ['!!!', 'untitled'],
    ['  --a--b--  ', 'a-b'],
    ['ﬁle Ⅻ', 'file-xii'],
    ['日本語 メモ', '日本語-メモ'],
    ['../../etc/passwd', 'etc-passwd'],
  ])('of %j is %j', (text, slug) => {
    expect(slugify(text)).toBe(slug)
  })

  test('is its own slug, fits a file name, and is safe as one unless it is a device', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const slug = slugify(text)
        expect(slugify(slug)).toBe(slug)
        expect([...slug].length).toBeLessThanOrEqual(80)
        expect(Buffer.byteLength(slug)).toBeLessThanOrEqual(200)
        expect(nameProblem(slug) ?? 'device').toMatch(/device/)
      }),
      { numRuns: 3_000 },
    )
  })

  test('is the same for texts that differ only by case or by normal form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        for (const form of ['NFC', 'NFD'] as const) {
          expect(slugify(text.normalize(form))).toBe(slugify(text))
        }
      }),
      { numRuns: 1_000 },
    )
    expect(slugify('ÉCOLE')).toBe(slugify('école'))
    expect(slugify('Istanbul')).toBe(slugify('ISTANBUL'))
  })

  test('of a long text is cut without a dash at its end or half a character', () => {
    expect(slugify(`${'a'.repeat(79)} b`)).toBe('a'.repeat(79))
    expect(slugify('😀𝒳'.repeat(100)).isWellFormed()).toBe(true)
  })
})

describe('a name is refused when', () => {
  test.each([
    ['', 'empty'],
    ['a/b', 'control character'],
    ['a\\b', 'control character'],
    ['a\0', 'control character'],
    ['a\x7f', 'control character'],
    ['a:b', 'control character'],
    ['a..b', '".."'],
    ['.hidden', 'dot'],
    ['end.', 'ends with'],
    ['end ', 'ends with'],
    ['CON', 'device'],
    ['nul.md', 'device'],
    ['com9', 'device'],
    ['\ud800', 'surrogate'],
    ['x'.repeat(256), '255 bytes'],
  ])('it is %j', (name, reason) => {
    expect(nameProblem(name)).toContain(reason)
  })

  test('and not when it merely looks odd', () => {
    for (const name of ['console', 'com10', 'a b', 'ünïcode', "o'neil", 'x.y']) {
      expect(nameProblem(name)).toBeNull()
    }
  })
})

test('a slug with a number is a slug itself, whatever its length', () => {
  expect(numberedSlug('tides', 2)).toBe('tides-2')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), fc.nat(9_999), (text, number) => {
      const numbered = numberedSlug(slugify(text), number)
      expect(slugify(numbered)).toBe(numbered)
      expect(numbered.endsWith(`-${number}`)).toBe(true)
    }),
  )
})

describe('a title is refused when', () => {
  test.each([
    ['  ', 'empty'],
    ['a\\b', 'backslash'],
    ['a\nb', 'one line'],
    ['é'.repeat(128), '255 bytes'],
  ])('it is %j', (title, reason) => {
    expect(titleProblem(title)).toContain(reason)
  })

  test('and not for slashes or dots', () => {
    expect(titleProblem('src/notes/../file.ts')).toBeNull()
  })
})
