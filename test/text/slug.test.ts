import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  cutSlug,
  mayBeCut,
  nameProblem,
  normalName,
  numberedSlug,
  ownSlug,
  slugify,
  titleProblem,
} from '../../src/text/slug.ts'

/** Names that differ late, if at all, around the length at which they are cut. */
const LONG = fc
  .tuple(
    fc.constantFrom('a', 'ß', '日', '𠮷', 'a ', 'é!'),
    fc.integer({ min: 20, max: 85 }),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  )
  .map(([part, times, end]) => part.repeat(times) + end)

describe('a slug', () => {
  test.each([
    ['Tide Tables: cache v2!', 'tide-tables-cache-v2'],
    ['Ünïcode ✓', 'ünïcode'],
    ['!!!', ''],
    ['***', ''],
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
        expect(nameProblem(slug) ?? 'device').toMatch(/device|empty/)
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

  test('of up to 80 characters is whole; a longer one is cut and ends in six of its hash', () => {
    expect(slugify('a'.repeat(80))).toBe('a'.repeat(80))
    expect(slugify(`${'a'.repeat(79)} b`)).toMatch(/^a{71}-[0-9a-z]{6}$/)
    expect(slugify(`${'a'.repeat(70)} ${'b'.repeat(20)}`)).toMatch(/^a{70}-[0-9a-z]{6}$/)
    expect(slugify('日'.repeat(70))).toMatch(/^日{62}-[0-9a-z]{6}$/)
    expect(slugify('😀𝒳'.repeat(100)).isWellFormed()).toBe(true)
  })

  test('is never that of another name, however alike the two are', () => {
    const slugs = new Map<string, string>()
    fc.assert(
      fc.property(LONG, (text) => {
        const [name, slug] = [normalName(text), slugify(text)]
        expect(slugs.get(slug) ?? name).toBe(name)
        slugs.set(slug, name)
      }),
      { numRuns: 5_000 },
    )
    expect(new Set(slugs.values()).size).toBeGreaterThan(1_000)
  })

  test('that was cut is no slug that a mere cut could have left', () => {
    fc.assert(
      fc.property(LONG, (text) => {
        const cut = cutSlug(text)
        expect(cut === undefined).toBe(slugify(text) === normalName(text))
        if (cut === undefined) return
        expect(mayBeCut(cut)).toBe(true)
        expect(mayBeCut(slugify(text))).toBe(false)
        expect([normalName(text).startsWith(cut), slugify(cut)]).toEqual([true, cut])
      }),
      { numRuns: 3_000 },
    )
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
      const numbered = numberedSlug(slugify(`n${text}`), number)
      expect(slugify(numbered)).toBe(numbered)
      expect(numbered.endsWith(`-${number}`)).toBe(true)
    }),
  )
})

test('a slug of its own is one itself, and ends in the last six characters of the id', () => {
  expect(ownSlug('tides', '01K9ZC4T7Q8V2M5N6P3R1S0WXY')).toBe('tides-1s0wxy')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 120 }), (text) => {
      const own = ownSlug(slugify(`n${text}`), '01K9ZC4T7Q8V2M5N6P3R1S0WXY')
      expect(slugify(own)).toBe(own)
      expect(own.endsWith('-1s0wxy')).toBe(true)
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
