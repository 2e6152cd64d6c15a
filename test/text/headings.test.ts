import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { headingsOf } from '../../src/text/headings.ts'

const shown = (text: string): string[] =>
  headingsOf(text).map(({ level, title, from }) => `${level} ${title} @${from}`)

describe('the headings of a text', () => {
  test('begin with one to six marks and a blank, and may be closed', () => {
    expect(shown('# A\n## B ##\n###### C #x\n  # D')).toEqual([
      '1 A @0',
      '2 B @4',
      '6 C #x @12',
      '1 D @24',
    ])
    expect(shown('#A\n####### B\n    # C\n#\n# \n## ##\n\t# D\n> # E\n- # F')).toEqual([])
  })

  test('may be underlined when they are one line', () => {
    expect(shown('A\n===\n\nB\n---\ntext')).toEqual(['1 A @0', '2 B @7'])
    expect(shown('Part\n~~~~\n\nPiece\n^^^^^')).toEqual(['3 Part @0', '4 Piece @11'])
    expect(shown('one\ntwo\n---\n\n- item\n---\n\n> quote\n---\n\n---\n\n***\n---')).toEqual([])
    expect(shown(`${'long '.repeat(60)}\n---`)).toEqual([])
  })

  test('are the same with either end of lines', () => {
    expect(shown('# A\r\n\r\nB\r\n---\r\n')).toEqual(['1 A @0', '2 B @7'])
  })

  test('are none of code', () => {
    const code = '# no\nno\n---\n'
    expect(shown(`\`\`\`sh\n${code}\`\`\`\n# A\n~~~\n${code}\`\`\`\n~~~\n# B`)).toEqual([
      '1 A @22',
      '1 B @50',
    ])
    expect(shown(`\`\`\`\`\n\`\`\`\n${code}`)).toEqual([])
    expect(shown('``` not ` a fence\n# A')).toEqual(['1 A @18'])
    expect(shown('sh\n~~~\n# no\n~~~\n# A')).toEqual(['1 A @16'])
  })

  test('stop after the three thousandth', () => {
    expect(headingsOf('# a\n'.repeat(4_000))).toHaveLength(3_000)
  })

  test('lie where lines begin, in their order, whatever the text is', () => {
    const lines = fc.array(
      fc.oneof(
        fc.constantFrom('# a', '## b', '---', '===', '```', '~~~', 'text', '', '- x', '> q', '\r'),
        fc.string({ unit: 'grapheme', maxLength: 20 }),
      ),
    )
    fc.assert(
      fc.property(lines, fc.constantFrom('\n', '\r\n'), (parts, end) => {
        const text = parts.join(end)
        let seen = -1
        for (const { from, level, title } of headingsOf(text)) {
          expect(from).toBeGreaterThan(seen)
          expect(from === 0 || text[from - 1] === '\n').toBe(true)
          expect(text.slice(from).includes(title)).toBe(true)
          expect(title.trim()).not.toBe('')
          expect([1, 2, 3, 4, 5, 6]).toContain(level)
          seen = from
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test('are found in a time that grows no faster than the text', () => {
    const units = [
      ' ',
      '\n',
      '# ',
      '#',
      '# a\n',
      '=\n',
      'a\n-\n',
      '`',
      '```\n',
      '``` `\n',
      '- ',
      '\t\n ',
    ]
    for (const unit of units) {
      const start = performance.now()
      headingsOf(unit.repeat(1_000_000 / unit.length))
      expect(performance.now() - start, JSON.stringify(unit)).toBeLessThan(5_000)
    }
  })
})
