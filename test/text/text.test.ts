import { describe, expect, test } from 'vitest'
import { age, clip, cutBytes, oneLine, estimateTokens } from '../../src/text/text.ts'

describe('a text that is shown', () => {
  test.each([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
    ['日本', 2],
  ])('%j is %d tokens', (text, tokens) => expect(estimateTokens(text)).toBe(tokens))

  test.each([
    [undefined, 'unknown'],
    [-5, 'just now'],
    [59, 'just now'],
    [60, '1m'],
    [3599, '59m'],
    [3600, '1h'],
    [86_399, '23h'],
    [86_400, '1d'],
    [86_400 * 400, '400d'],
  ])('%j seconds are %s', (seconds, said) => expect(age(seconds)).toBe(said))

  test.each([
    ['one two three', 20, 'one two three'],
    ['one two three', 13, 'one two three'],
    ['one two three', 12, 'one two…'],
    ['one two, three', 9, 'one two…'],
    ['one two three', 8, 'one two…'],
    ['one two three', 7, 'one…'],
    ['abcdefghij', 5, 'abcd…'],
    ['🙂🙂🙂🙂', 3, '🙂🙂…'],
    ['one two', 1, 'one two'],
    ['a.-/;: bcdefgh', 8, 'a…'],
  ])('%j fits into %d as %j', (text, most, cut) => expect(clip(text, most)).toBe(cut))

  test.each([
    ['one\r\n\ttwo\u2028three\u0085 four ', 'one two three four'],
    ['\u001b[31mred\u0000\u0007', '[31mred'],
    ['\u202efdp.exe\u202c \u2066x\u2069', 'fdp.exe x'],
    ['a\u{e0041}\u{e0042}b', 'ab'],
    ['שלום עולם', 'שלום עולם'],
  ])('%j is one line of what can be seen', (text, line) => expect(oneLine(text, 80)).toBe(line))

  test('of any length is a line at once', () => {
    expect(oneLine('word '.repeat(2_000_000), 20)).toBe('word word word word…')
    expect(oneLine(' '.repeat(5_000_000), 20)).toBe('')
  })

  test('is never cut within a character', () => {
    for (let most = 0; most < 12; most++) {
      const cut = cutBytes('aé日🙂', most)
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most)
      expect('aé日🙂'.startsWith(cut)).toBe(true)
    }
  })
})
