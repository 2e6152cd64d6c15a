/**
 * What a terminal acts on instead of showing it: control characters but newline and tab, the marks and
 * overrides of text direction, and the tag characters that nobody sees.
 */
const ACTED_ON =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e007f}]/gu

/**
 * Returns the text with such characters written as `\u001b`. Inside of JSON this is the same value, so
 * printed JSON stays exact. A line may end in CR LF, which becomes LF.
 */
export const visible = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(ACTED_ON, escaped)

const escaped = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
