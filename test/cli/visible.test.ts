import fc from 'fast-check'
import { expect, test } from 'vitest'
import { visible } from '../../src/cli/visible.ts'

test.each([
  ['plain words, äöü, 漢字, 👩‍🚀', 'plain words, äöü, 漢字, 👩‍🚀'],
  ['a line\n\tand another', 'a line\n\tand another'],
  ['\u001b[31mred\u001b[0m', '\\u001b[31mred\\u001b[0m'],
  ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
  ['\u009b2J', '\\u009b2J'],
  ['back\b\u007f', 'back\\u0008\\u007f'],
  ['over\rwritten', 'over\\u000dwritten'],
  ['two\r\nlines', 'two\nlines'],
  ['\u202egnp.exe', '\\u202egnp.exe'],
  ['\u2066in\u2069 \u200e\u200f\u061c', '\\u2066in\\u2069 \\u200e\\u200f\\u061c'],
  ['hidden\u{e0041}', 'hidden\\udb40\\udc41'],
])('%j is printed as %j', (text, printed) => expect(visible(text)).toBe(printed))

test('printed JSON is the same value', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('a', '"', '\\', '\u001b', '\u009b', '\u202e', '\u{e0041}', '\n'),
  })
  fc.assert(
    fc.property(fc.oneof(hostile, fc.string({ unit: 'binary' })), (text) => {
      expect(JSON.parse(visible(JSON.stringify({ [text]: text })))).toEqual({ [text]: text })
    }),
  )
})
