/** How text is measured and shortened where it is shown to agents. What is stored is never touched. */

/** Length in tokens, as every budget counts it: a quarter of the bytes. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

/** How long ago, in one unit: `just now`, `5m`, `3h`, `12d`; undefined is `unknown`. */
export function age(seconds: number | undefined): string {
  if (seconds === undefined) return 'unknown'
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes}m`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`
  return `${Math.floor(minutes / (24 * 60))}d`
}

/** The first `most` code points: a character is never cut in two. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join('')

/** At most `most` characters, cut between words and ended with … when it is cut; up to 1 is no limit. */
export function clip(text: string, most: number): string {
  const characters = [...text.slice(0, 2 * most + 2)]
  if (most <= 1 || characters.length <= most) return text
  const head = characters.slice(0, most - 1).join('')
  const space = /\s/.test(characters[most - 1]!) ? head.length : head.search(/\s\S*$/)
  const kept = space > 0 ? head.slice(0, space) : head
  return `${kept.replace(/[\s,;:\-./]+$/, '')}…`
}

/** Characters that reverse text or hide in it: no line needs them, and they can forge what it shows. */
const UNSEEN = /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** One line of at most `most` characters, however many lines and spaces the text has. */
export function oneLine(text: string, most: number): string {
  // A line shows a few hundred characters: of a long text no more than that is looked at.
  const near = text.length > 40 * most + 4_000 ? text.slice(0, 40 * most + 4_000) : text
  return clip(
    near
      .replaceAll(UNSEEN, '')
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    most,
  )
}

/** The first line of a text that says anything, cut to so many characters. */
export function firstLine(text: string, most: number): string {
  const near = text.length > 40 * most + 4_000 ? text.slice(0, 40 * most + 4_000) : text
  const line = near.split(/\r\n|\r|\n/u).find((each) => each.trim() !== '') ?? ''
  return oneLine(line, most)
}

/**
 * The text without these characters at its end. A pattern for it would begin anew at every one of them
 * that stands elsewhere.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** The beginning of a text that fits into so many bytes, never half a character. */
export function cutBytes(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  let end = Math.max(0, most)
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

/** How many words a text has, counted without a list of them. */
export function countWords(text: string): number {
  let count = 0
  for (const _ of text.matchAll(/\S+/g)) count++
  return count
}
