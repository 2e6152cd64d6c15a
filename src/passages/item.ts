import { createHash } from 'node:crypto'
import { cutText, PASSAGE } from './cut.ts'

export const ITEM_KINDS = ['memory', 'note', 'task', 'trial', 'session'] as const
export type ItemKind = (typeof ITEM_KINDS)[number]

/** An item as it is found. */
export interface Item {
  kind: ItemKind
  id: string
  /** The slug of a registered project; '' is the global scope. */
  project: string
  /** Inactive items keep their passages, and searches of today pass over them. */
  active: boolean
  title: string
  description?: string
  text: string
  /** One passage, however long the text. */
  whole?: boolean
}

/** A passage of an item: its text as it is indexed, and where that lies in the item's own. */
export interface Piece {
  /** Where it begins and how long it is, in characters as PostgreSQL counts them. */
  place: number
  size: number
  text: string
  hash: string
}

/** The most of an item of one passage that is read, in UTF-16 units. The rest is not found. */
const LONGEST_WHOLE = 100_000

/** Each passage begins with the item's title, the first one with its description too. */
export function cutItem({ id, title: name, description = '', text, whole = false }: Item): Piece[] {
  const title = withoutId(name, id)
  const one = { from: 0, to: Math.min(text.length, LONGEST_WHOLE) }
  const cuts = whole ? [one] : cutText(text, PASSAGE)
  if (cuts.length === 0) cuts.push({ from: 0, to: 0 })
  let [seen, place] = [0, 0]
  return cuts.map(({ from, to }, i) => {
    place += characters(text.slice(seen, from))
    seen = from
    const piece = text.slice(from, to)
    const heading = i === 0 && description !== '' ? `${title}\n\n${description}` : title
    const indexed = `${heading}\n\n${piece}`
    return { place, size: characters(piece), text: indexed, hash: hashOf(indexed) }
  })
}

/** As much of the end of an id as a name may end in, in characters. */
const ID_ENDS = [6, 8]

/**
 * Returns the title without the end of the item's own id: `plain-r3pqdx` is found by its word and by its
 * whole name. Chance would make words of the rest, as many as it has digits between its letters.
 */
function withoutId(title: string, id: string): string {
  const ends = ID_ENDS.map((size) => id.slice(-size).toLowerCase())
  const end = ends.find((end) => title.endsWith(`-${end}`) || title.endsWith(`/${end}`))
  return end === undefined ? title : title.slice(0, -end.length - 1)
}

const characters = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)

/** Half a SHA-256 is enough to distinguish passages. */
const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 32)
