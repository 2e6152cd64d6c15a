import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signatureOf } from '../../src/gardener/passes/signature.ts'

describe('the signature of a question', () => {
  test.each([
    ['How do we rotate the harbour keys?', 'harbour-keys-rotate'],
    ['keys HARBOUR; rotate, rotate (keys)', 'harbour-keys-rotate'],
    ['port 8081 of the ci', '8081-port'],
    ['What is in it, and why?', ''],
    ['', ''],
    ['… -- !?', ''],
    ['Straße STRASSE', 'strasse'],
    ['ΟΔΟΣ οδος οδοσ', 'οδος'],
    ['cafe\u0301 café', 'café'],
    ['डेटाबेस कैसे', 'कैसे-डेटाबेस'],
    ['настройка Сервера', 'настройка-сервера'],
    ['snake_case kebab-case a/path.ts', 'case-kebab-path-snake'],
  ])('of %j is %j', (query, signature) => {
    expect(signatureOf(query)).toBe(signature)
  })

  test('leaves out the words that frame a question, and words of one or two letters', () => {
    const framing =
      'the and for are was were been has have had does did can could must should would will what when where which ' +
      'who why how with from into about there this that'
    expect(framing.split(' ')).toHaveLength(32)
    expect(signatureOf(framing)).toBe('')
    expect(signatureOf(`${framing} go db api`)).toBe('api')
  })

  const word = fc.string({
    unit: fc.constantFrom(...'abcxyz019', ...'äéñ', ...'жщя', ...'漢字', '\u{20000}', '\u0301'),
    minLength: 1,
    maxLength: 8,
  })
  const words = fc.array(word, { maxLength: 12 })
  const between = fc.constantFrom(' ', '  ', ', ', '; ', ' - ', '?! ', '\n', '_', '/', '«', '🙂')

  test('does not depend on order, case, punctuation or repeats', () => {
    const asked = words.chain((words) =>
      fc.record({
        words: fc.constant(words),
        shuffled: fc
          .shuffledSubarray(words, { minLength: words.length })
          .chain((all) => fc.tuple(fc.constant(all), fc.subarray(words)))
          .map(([all, again]) => [...all, ...again]),
        separators: fc.array(between, { minLength: 25, maxLength: 25 }),
        upper: fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }),
      }),
    )
    fc.assert(
      fc.property(asked, ({ words, shuffled, separators, upper }) => {
        const other = shuffled
          .map((word, i) => `${upper[i] ? word.toUpperCase() : word}${separators[i]}`)
          .join('')
        expect(signatureOf(other)).toBe(signatureOf(words.join(' ')))
      }),
    )
  })

  test('is its own signature, sorted, and each of its words stands once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (query) => {
        const signature = signatureOf(query)
        const words = signature === '' ? [] : signature.split('-')
        expect(words).toEqual([...new Set(words)].sort())
        expect(words.every((word) => [...word].length >= 3)).toBe(true)
        expect(signatureOf(signature)).toBe(signature)
      }),
    )
  })
})
