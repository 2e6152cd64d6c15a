/** How what was found is narrowed and ordered. */
import { strengthOf, type Group } from './groups.ts'
import type { Row } from './row.ts'

export const SORTS = ['relevance', 'newest', 'oldest', 'project', 'confidence'] as const
export type Sort = (typeof SORTS)[number]

const DAY_MS = 24 * 60 * 60 * 1000

/** When an item was changed last, counted back from now. */
export const SEARCH_WINDOWS = {
  all: { label: 'all time', spanMs: Infinity },
  '24h': { label: 'last 24 hours', spanMs: DAY_MS },
  '7d': { label: 'last 7 days', spanMs: 7 * DAY_MS },
  '30d': { label: 'last 30 days', spanMs: 30 * DAY_MS },
  '1y': { label: 'last year', spanMs: 365 * DAY_MS },
} as const
export type SearchWindow = keyof typeof SEARCH_WINDOWS
export const SEARCH_WINDOW_KEYS = ['all', '24h', '7d', '30d', '1y'] as const

export interface Narrowed {
  sort: Sort
  w: SearchWindow
  /** Starred ones only. */
  starred: boolean
  /** Rows of a group at most. */
  limit: number
  /** From when on windows are counted back, in milliseconds since 1970. */
  now: number
}

/** What has no time of its own is within every window. */
export function narrowed(
  groups: readonly Group[],
  { sort, w, starred, limit, now }: Narrowed,
): Group[] {
  const since = now - SEARCH_WINDOWS[w].spanMs
  const isWanted = ({ updated, favorite }: Row): boolean =>
    (!starred || favorite === true) && (!updated || updated.getTime() >= since)
  return groups
    .map(({ rows, ...group }) => {
      const kept = ordered(rows.filter(isWanted), sort).slice(0, limit)
      return { ...group, count: kept.length, rows: kept }
    })
    .filter(({ count }) => count > 0)
}

/** Returns the rows in this order; those that are equal in it keep theirs. */
export const ordered = (rows: readonly Row[], sort: Sort): Row[] => rows.toSorted(ORDERS[sort])

const timeOf = ({ updated }: Row): number => updated?.getTime() ?? 0

/** Relevance is the order in which they were found: what is called so, then starred ones, then the others. */
const ORDERS: Record<Sort, (a: Row, b: Row) => number> = {
  relevance: (a, b) => strengthOf(a) - strengthOf(b) || starOf(b) - starOf(a),
  newest: (a, b) => timeOf(b) - timeOf(a),
  oldest: (a, b) => timeOf(a) - timeOf(b),
  project: (a, b) =>
    (a.project ?? '').localeCompare(b.project ?? '', 'en') || timeOf(b) - timeOf(a),
  confidence: (a, b) => (b.similarity ?? 0) - (a.similarity ?? 0),
}

const starOf = ({ favorite }: Row): number => (favorite ? 1 : 0)
