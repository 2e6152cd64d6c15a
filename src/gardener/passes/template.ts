/** What the words of a failure have in common with those of the same failure at another time. */

const QUOTED = /"(?:[^"\\]|\\.)*(?:"|$)/g
const ULID = /\b[0-7][0-9a-hjkmnp-tv-z]{25}\b/gi
const DIGITS = /\p{Nd}+/gu

/** The message of a tool, without what names this time's things. */
export const templateOf = (tool: string, message: string): string =>
  unnamed(withoutTool(tool, message).toLowerCase())
    .replaceAll(DIGITS, '<n>')
    .replaceAll(/\s+/g, ' ')
    .trim()

const withoutTool = (tool: string, message: string): string =>
  message.startsWith(`${tool}:`) ? message.slice(tool.length + 1) : message

/** A message without what it quotes and without ids. */
export const unnamed = (message: string): string =>
  message.replaceAll(QUOTED, '"…"').replaceAll(ULID, '<id>')

/** A message without anything that names an item or a place of the machine: for those who may not know of either. */
export const anonymous = (message: string): string =>
  unnamed(message).replaceAll(/[^\s'"`()<>]*[/\\][^\s'"`()<>]*/g, '<path>')
