import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contentsOf, sectionNamed, sectionsOf } from '../../src/text/sections.ts'

const GUIDE = `Before.

# Guide

## Install

First.

### On Linux

apt

## Set up: "TCP/IP"

Second.

## Install

Third.

### On Linux

dnf
`

const sections = sectionsOf(GUIDE)
const read = (asked: string): string => {
  const { from, to } = sectionNamed(sections, asked)
  return GUIDE.slice(from, to)
}

describe('a section of a text', () => {
  test('is a heading with all that stands below it', () => {
    expect(read('Guide')).toBe(GUIDE.slice('Before.\n\n'.length))
    expect(read('install#1')).toBe('## Install\n\nFirst.\n\n### On Linux\n\napt\n\n')
    expect(read('install#2/on-linux')).toBe('### On Linux\n\ndnf\n')
  })

  test.each([
    ['Set up: "TCP/IP"'],
    ['## Set up: "TCP/IP"'],
    ['set up tcp/ip'],
    ['set-up-tcp-ip'],
    ['guide/set-up-tcp-ip'],
    ['Guide / Set up TCP IP'],
  ])('is found by its text and by its path: %s', (asked) => {
    expect(read(asked)).toBe('## Set up: "TCP/IP"\n\nSecond.\n\n')
  })

  test('is found by the number of its turn', () => {
    expect(read('Install#2')).toBe('## Install\n\nThird.\n\n### On Linux\n\ndnf\n')
    expect(read('on-linux#2')).toBe('### On Linux\n\ndnf\n')
    expect(read('guide/install#1/on-linux')).toBe('### On Linux\n\napt\n\n')
  })

  test('has the shortest name that no other has', () => {
    expect(sections.map(({ name }) => name)).toEqual([
      'guide',
      'install#1',
      'install#1/on-linux',
      'set-up-tcp-ip',
      'install#2',
      'install#2/on-linux',
    ])
    expect(sections.map(({ name }) => sectionNamed(sections, name))).toEqual(sections)
    expect(sections.map(({ path }) => sectionNamed(sections, path))).toEqual(sections)
  })

  test('is preferred when its heading has just these words', () => {
    const close = sectionsOf('# Why?\n\n# Why!\n')
    expect(sectionNamed(close, 'Why!').from).toBe(8)
  })

  test.each([
    [GUIDE, 'install', 'section "install" names several: install#1, install#2; pass one of these'],
    [
      GUIDE,
      'on-linux',
      'section "on-linux" names several: install#1/on-linux, install#2/on-linux; pass one of these',
    ],
    [GUIDE, 'guide/install', 'names several: install#1, install#2'],
    [
      GUIDE,
      'Remove',
      'no section "Remove"; the headings are guide, install#1, install#1/on-linux, set-up-tcp-ip, ' +
        'install#2, install#2/on-linux',
    ],
    [GUIDE, 'install#3', 'no section "install#3"; the headings are guide'],
    ['no headings', 'x', 'no section "x": there are no headings; read by offset and limit'],
    ['# a\n'.repeat(50), 'x', 'a#20 and 30 more'],
  ])('is refused when nothing or too much is meant', (text, asked, reason) => {
    expect(() => sectionNamed(sectionsOf(text), asked)).toThrow(reason)
  })

  test('is one of forty to choose from, the highest first', () => {
    const text = `# T\n${Array.from({ length: 30 }, (_, i) => `## s${i}\n### a${i}\n### b${i}\n`).join('')}`
    const names = contentsOf(sectionsOf(text)).map(({ name }) => name)
    expect(names).toHaveLength(40)
    expect(names.slice(0, 5)).toEqual(['t', 's0', 'a0', 'b0', 's1'])
    expect(names.slice(-3)).toEqual(['s27', 's28', 's29'])
  })

  test('is a slice of the text that begins with its heading, and names are never twice', () => {
    const heads = fc.tuple(
      fc.integer({ min: 1, max: 6 }),
      fc.constantFrom('a', 'b', 'A', 'a b', '?', '!', 'ä', 'a/b', '#2', 'a#2', 'ﷺ'),
      fc.constantFrom('', 'text\n', '```\n# code\n```\n'),
    )
    fc.assert(
      fc.property(fc.array(heads, { maxLength: 30 }), (parts) => {
        const text = parts
          .map(([level, title, below]) => `${'#'.repeat(level)} ${title}\n${below}`)
          .join('')
        const found = sectionsOf(text)
        expect(new Set(found.map(({ name }) => name)).size).toBe(found.length)
        for (const [at, { from, to, level, name }] of found.entries()) {
          expect(text.slice(from, to).startsWith(`${'#'.repeat(level)} `)).toBe(true)
          const after = found.slice(at + 1).find((one) => one.level <= level)
          expect(to).toBe(after?.from ?? text.length)
          expect(sectionNamed(found, name).from).toBe(from)
        }
      }),
      { numRuns: 500 },
    )
  })
})
