import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linesOf } from '../../src/text/lines.ts'

const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom('\n', '\r\n', 'line\n', '🦊'.repeat(5_000), 'x'.repeat(20_001), '\u0001'),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

const all = (text: string) => ({ from: 0, to: text.length })

describe('lines', () => {
  test('behind one another are the text, byte for byte, and none is larger than the room', () => {
    fc.assert(
      fc.property(
        texts,
        fc.integer({ min: 24_000, max: 60_000 }),
        fc.integer({ min: 1, max: 9 }),
        (text, room, limit) => {
          let read = ''
          for (let offset = 0; ;) {
            const { from, to, count, of } = linesOf(text, all(text), { offset, limit }, room)
            read += text.slice(from, to)
            expect(Buffer.byteLength(text.slice(from, to))).toBeLessThanOrEqual(room)
            offset += count
            if (offset >= of) break
            expect(count).toBeGreaterThan(0)
          }
          expect(read).toBe(text)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('are counted from 0 within a range', () => {
    const text = 'a\nb\nc\nd\ne'
    const range = { from: 2, to: 8 }
    expect(linesOf(text, range, {}, 100)).toEqual({ from: 2, to: 8, count: 3, of: 3 })
    expect(linesOf(text, range, { offset: 1, limit: 1 }, 100)).toMatchObject({
      from: 4,
      to: 6,
      of: 3,
    })
    expect(linesOf(text, range, { offset: 3 }, 100)).toMatchObject({ count: 0, of: 3 })
    expect(linesOf(text, range, {}, 3)).toMatchObject({ from: 2, to: 4, count: 1, of: 3 })
  })

  test('of more than 8,000 characters count as several, and no character is torn', () => {
    const text = `a${'🦊'.repeat(4_000)}\n`
    const { to, of } = linesOf(text, all(text), { limit: 1 }, 100_000)
    expect([to, of]).toEqual([7_999, 2])
  })

  test('are found in a time that grows no faster than the text', () => {
    for (const unit of ['x', '\n', '🦊', '\u0001', 'ab\n']) {
      const text = unit.repeat(4_000_000 / unit.length)
      const start = performance.now()
      linesOf(text, all(text), { offset: 10 }, 24_000)
      expect(performance.now() - start, JSON.stringify(unit)).toBeLessThan(5_000)
    }
  })
})
