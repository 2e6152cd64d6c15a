import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unifiedDiff } from '../../src/text/diff.ts'
import { applyEdits } from '../../src/text/edits.ts'

/** Few letters, so that overlaps, repeats and misses all happen. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', 'é', '😀'), maxLength: 40 })
const edit = fc.record({ old_string: text, new_string: text, replace_all: fc.boolean() })

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
          expect(() => applyEdits(before, edits)).toThrow()
        } else expect(applyEdits(before, edits)).toBe(expected)
      }),
      { numRuns: 2_000 },
    )
  })

  test('replacement patterns of the language are plain text', () => {
    expect(applyEdits('price', [{ old_string: 'price', new_string: "$& $1 $' $$" }])).toBe(
      "$& $1 $' $$",
    )
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
      expect(() => applyEdits('one two', edits)).toThrow(reason)
    })
  })
})

describe('the diff', () => {
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
