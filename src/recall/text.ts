/** Length in tokens, as every budget counts it: a quarter of the bytes. */
export const tokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

/** How long ago, in one unit: `just now`, `5m`, `3h`, `12d`. */
export function age(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes}m`
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`
  return `${Math.floor(minutes / (24 * 60))}d`
}

/** One line of at most `most` characters, cut between words and ended with … when it is cut. */
export function oneLine(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const characters = [...line]
  if (characters.length <= most) return line
  const head = characters.slice(0, most - 1).join('')
  const space = characters[most - 1] === ' ' ? head.length : head.lastIndexOf(' ')
  const kept = space > 0 ? head.slice(0, space) : head
  return `${kept.replace(/[\s,;:\-./]+$/, '')}…`
}
