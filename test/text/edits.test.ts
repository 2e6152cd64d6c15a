import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unifiedDiff } from '../../src/text/diff.ts'
import { applyEdits } from '../../src/text/edits.ts'
import { eachOccurrence } from '../../src/text/find.ts'

/** Few letters, so that overlaps, repeats and misses all happen. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '😀'), maxLength: 40 })
const edit = fc.record({ old_string: text, new_string: text, replace_all: fc.boolean() })

const anySize = (): void => {}
const MIB = 1024 * 1024

/** What a patch of these hunks makes of the lines of a text. */
function withHunks(before: string, diff: string): string[] {
  const old = linesOf(before)
  const made: string[] = []
  let at = 0
  for (const line of linesOf(diff)) {
    const [, from, count] = /^@@ -(\d+),(\d+) /.exec(line) ?? []
    if (from !== undefined) {
      const start = Number(from) - (count === '0' ? 0 : 1)
      made.push(...old.slice(at, start))
      at = start
    } else if (line[0] === '+') made.push(line.slice(1))
    else if (line[0] === '-' || line[0] === ' ') {
      expect(old[at++]).toBe(line.slice(1))
      if (line[0] === ' ') made.push(line.slice(1))
    }
  }
  return [...made, ...old.slice(at)]
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** The rule told naively: find from the left, never overlapping. */
function positions(text: string, part: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(part); at !== -1 && part; at = text.indexOf(part, at + part.length)) {
    found.push(at)
  }
  return found
}

describe('edits', () => {
  test('apply in order, each to the result of the last, or none at all', () => {
    fc.assert(
      fc.property(text, fc.array(edit, { minLength: 1, maxLength: 4 }), (before, edits) => {
        let expected: string | null = before
        for (const { old_string, new_string, replace_all } of edits) {
          if (expected === null) break
          const found = positions(expected, old_string)
          const fits =
            old_string !== '' &&
            old_string !== new_string &&
            found.length > 0 &&
            (found.length === 1 || replace_all)
          if (!fits) expected = null
          else {
            for (const at of found.toReversed()) {
              expected =
                expected!.slice(0, at) + new_string + expected!.slice(at + old_string.length)
            }
          }
        }
        if (expected === null || expected === before) {
          expect(() => applyEdits(before, edits, anySize)).toThrow()
        } else expect(applyEdits(before, edits, anySize)).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test('replacement patterns of the language are plain text', () => {
    const edits = [{ old_string: 'price', new_string: "$& $1 $' $$" }]
    expect(applyEdits('price', edits, anySize)).toBe("$& $1 $' $$")
  })

  test('ask for the size before it is made, in bytes, and halfway too', () => {
    const asked: number[] = []
    const ask = (bytes: number): void => void asked.push(bytes)
    const edits = [
      { old_string: 'a', new_string: 'é😀', replace_all: true },
      { old_string: 'é', new_string: '', replace_all: true },
      { old_string: '!', new_string: '?!' },
    ]
    expect(applyEdits('aa!', edits, ask)).toBe('😀😀?!')
    expect(asked).toEqual([13, 10])
  })

  test('that double a text are refused before they fill the memory', () => {
    const edits = Array.from({ length: 60 }, () => ({
      old_string: 'q',
      new_string: 'qq',
      replace_all: true,
    }))
    expect(() => applyEdits('q', edits, anySize)).toThrow(/^edits\[\d+\]: too much to search/)
    const most = (bytes: number): void => {
      if (bytes > 1_000) throw new Error(`${bytes} bytes`)
    }
    expect(() => applyEdits('q', edits, most)).toThrow('1024 bytes')
  })

  test('of a large text are looked for a bounded number of times', () => {
    const text = `${'x'.repeat(MIB)}0`
    const edits = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ old_string: `${at}`, new_string: `${at + 1}` }))
    expect(applyEdits(text, edits(8), anySize).endsWith('x8')).toBe(true)
    expect(() => applyEdits(text, edits(200), anySize)).toThrow(
      'send the edits before it first, then the others in further calls',
    )
    expect(applyEdits('0', edits(200), anySize)).toBe('200')
  })

  describe('refuse', () => {
    test.each([
      [[], 'edits must contain at least one item'],
      [[{ old_string: '', new_string: 'x' }], 'edits[0]: an empty old_string has no position'],
      [
        [{ old_string: 'one', new_string: 'one' }],
        'edits[0]: old_string and new_string are the same',
      ],
      [
        [{ old_string: 'nine', new_string: 'x' }],
        'edits[0]: old_string does not occur; read the text again and copy it exactly',
      ],
      [
        [{ old_string: 'o', new_string: 'x' }],
        'edits[0]: old_string is not unique: it occurs 2 times; widen it or set replace_all',
      ],
      [
        [
          { old_string: 'one', new_string: 'three' },
          { old_string: 'one', new_string: 'x' },
        ],
        'edits[1]: old_string does not occur; read the text again and copy it exactly',
      ],
      [
        [
          { old_string: 'one', new_string: 'three' },
          { old_string: 'three', new_string: 'one' },
        ],
        'the edits leave the body as it was; nothing was written',
      ],
    ])('%j', (edits, reason) => {
      expect(() => applyEdits('one two', edits, anySize)).toThrow(reason)
    })
  })
})

describe('an occurrence', () => {
  const places = (text: string, part: string): number[] => {
    const found: number[] = []
    eachOccurrence(text, part, (at) => found.push(at))
    return found
  }

  test('is found from the left, never overlapping, however long the part is', () => {
    const letters = fc.constantFrom('a', 'b')
    const seed = fc.string({ unit: letters, minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(
        seed,
        fc.nat(60),
        fc.nat(300),
        fc.string({ unit: letters }),
        (part, n, m, end) => {
          const wanted = part.repeat(n + 1) + end
          const text = part.repeat(m) + end + wanted + wanted
          expect(places(text, wanted)).toEqual(positions(text, wanted))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('of a part that repeats itself costs no more than looking at the text', () => {
    const part = `${'a'.repeat(20)}c${'a'.repeat(MIB)}`
    const began = performance.now()
    expect(places('a'.repeat(4 * MIB) + part, part)).toEqual([4 * MIB])
    // Compared at every place anew it takes a quarter of an hour.
    expect(performance.now() - began).toBeLessThan(10_000)
  })
})

describe('the diff', () => {
  test('makes of the text before the text after', () => {
    const line = fc.constantFrom('a', 'b', '', 'c c', 'é')
    const lines = fc.array(line, { maxLength: 14 })
    const ending = fc.constantFrom('', '\n')
    fc.assert(
      fc.property(lines, lines, lines, lines, ending, ending, (above, old, fresh, below, x, y) => {
        const before = [...above, ...old, ...below].join('\n') + x
        const after = [...above, ...fresh, ...below].join('\n') + y
        const diff = unifiedDiff(before, after)
        expect(withHunks(before, diff)).toEqual(linesOf(after))
      }),
      { numRuns: 2_000 },
    )
  })

  test('of a large text that changed in one line is that line', () => {
    const lines = '\n'.repeat(4 * MIB)
    expect(unifiedDiff(lines, `${lines}x`)).toBe(
      `@@ -${4 * MIB - 2},3 +${4 * MIB - 2},4 @@\n \n \n \n+x\n`,
    )
  })

  test('shows hunks with three lines of context and no file headers', () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
    const before = `${lines.join('\n')}\n`
    const after = before.replace('line 10\n', 'line ten\n')
    expect(unifiedDiff(before, after)).toBe(
      '@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n line 11\n line 12\n line 13\n',
    )
  })

  test('never says that a newline is missing at the end', () => {
    expect(unifiedDiff('a', 'b')).toBe('@@ -1,1 +1,1 @@\n-a\n+b\n')
  })

  test('is empty when nothing changed', () => {
    expect(unifiedDiff('same', 'same')).toBe('')
  })

  test('is cut at 8,000 code points and says so', () => {
    const diff = unifiedDiff('', '😀\n'.repeat(10_000))
    expect([...diff].length).toBeLessThan(8_100)
    expect(diff.endsWith('(diff cut here; content_hash is authoritative)\n')).toBe(true)
  })

  test('gives up on a change that would hold everybody else up', () => {
    const shuffled = (seed: number) =>
      Array.from({ length: 60_000 }, (_, i) => String((i * seed) % 59_999)).join('\n')
    const started = performance.now()
    const diff = unifiedDiff(shuffled(7919), shuffled(104_729))
    expect(diff.length).toBeGreaterThan(0)
    expect(performance.now() - started).toBeLessThan(3_000)
  })
})
