import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutText } from '../../src/passages/cut.ts'

const pieces = (text: string, about?: number): string[] =>
  cutText(text, about).map(({ from, to }) => text.slice(from, to))

const paragraph = (words: number, word = 'word'): string => Array(words).fill(word).join(' ')

describe('a text is cut', () => {
  test('not at all while it is short', () => {
    expect(pieces('# Title\n\nOne.\n\nTwo.')).toEqual(['# Title\n\nOne.\n\nTwo.'])
    expect(pieces('')).toEqual([])
    expect(pieces(' \n\n ')).toEqual([])
  })

  test.each([
    ['# One', '## Two'],
    ['One\n===', 'Two\n---'],
  ])('before a heading such as %j', (one, two) => {
    const text = `${one}\n\n${paragraph(150)}\n\n${two}\n\n${paragraph(150)}`
    expect(pieces(text)).toEqual([`${one}\n\n${paragraph(150)}`, `${two}\n\n${paragraph(150)}`])
  })

  test('between paragraphs, of which as many stay together as fit', () => {
    const text = Array(7).fill(paragraph(80)).join('\n\n')
    const three = 3 * 399 + 4
    expect(pieces(text).map((piece) => piece.length)).toEqual([three, three, 399])
  })

  test('within a giant paragraph after a line, else after a sentence, else after a word', () => {
    const lines = Array(100).fill(paragraph(10)).join('\n')
    expect(pieces(lines)[0]).toMatch(/word\n$/)
    const sentences = Array(200).fill('A sentence of words.').join(' ')
    expect(pieces(sentences)[0]).toMatch(/words\.$/)
    const unspaced = '部署前必须备份 config.yaml 和数据库。'.repeat(200)
    for (const piece of pieces(unspaced)) expect(piece).toMatch(/^部署.*。$/)
    expect(pieces(paragraph(1_000))[0]).toMatch(/word $/)
    expect(pieces('x'.repeat(5_000)).map((piece) => piece.length)).toEqual([1500, 1500, 2000])
  })

  test('in a time that grows no faster than the text, whatever it is made of', () => {
    for (const unit of [' ', '\n', '# ', '=\n', 'a\n', 'a ', '.', '. ', '\t\n ', '🦊']) {
      const start = performance.now()
      cutText(unit.repeat(1_000_000 / unit.length))
      expect(performance.now() - start, JSON.stringify(unit)).toBeLessThan(5_000)
    }
  })

  test('into pieces that lose nothing but blank space, keep their order and tear no character', () => {
    const texts = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 80 }),
        fc.constantFrom('\n', '\n\n', '# h\n', '🦊'.repeat(40), 'x'.repeat(90), ' '),
      ),
      { maxLength: 40 },
    )
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('')
        const cuts = cutText(text, 50)
        let seen = 0
        for (const { from, to } of cuts) {
          expect(text.slice(seen, from).trim()).toBe('')
          expect(to - from).toBeGreaterThan(0)
          expect(to - from).toBeLessThanOrEqual(75)
          expect(text.slice(from, to).isWellFormed()).toBe(true)
          seen = to
        }
        expect(text.slice(seen).trim()).toBe('')
      }),
      { numRuns: 1_000 },
    )
  })
})
