/** A cursor of the feed as the id of a message: what a reader sends back to resume. */
import type { Cursor } from '../../kernel/feed.ts'
import { isSnapshot } from '../../postgres/feed.ts'

/** A cursor holds two lists of running transactions. */
const CURSOR_CHARACTERS = 32_768

export const formatCursor = ({ epoch, prev, now, tx, id }: Cursor): string =>
  `${epoch}~${prev}~${now}~${tx}.${id}`

/** Returns `unknown` for what is no cursor. Whether one belongs to this log is for the feed to say. */
export function parseCursor(header: string | string[] | undefined): Cursor | 'unknown' | undefined {
  if (header === undefined || header === '') return undefined
  if (typeof header !== 'string' || header.length > CURSOR_CHARACTERS) return 'unknown'
  const [epoch = '', prev = '', now = '', row = '', ...more] = header.split('~')
  const [, tx, id] = /^(\d{1,19})\.([0-9A-Z]{26})$/.exec(row) ?? []
  if (!isSnapshot(prev) || !isSnapshot(now) || !tx || !id || more.length > 0) return 'unknown'
  return { epoch, prev, now, tx, id }
}
