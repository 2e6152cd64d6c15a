/** How much of each list the page shows, and how the owner comes to the rest. */

/** Lists that are cut at first; the parameter `whole` asks for one of them in full. */
export const CUT = {
  clients: 20,
  programs: 20,
  families: 100,
  routes: 200,
  files: 50,
} as const

export type CutList = keyof typeof CUT
export const CUT_LISTS = Object.keys(CUT) as [CutList, ...CutList[]]

/** As many rows as a page ever holds. */
const WHOLE = 10_000

/** How many rows of each list are shown. */
export const limitsOf = (whole: CutList | undefined): Readonly<Record<CutList, number>> => ({
  ...CUT,
  ...(whole && { [whole]: WHOLE }),
})

/** How a table goes on that has pages. */
export interface Pager {
  page: number
  /** Rows of later pages. */
  more: number
  /** The page before, the last one that has rows for one that is past it; null on the first. */
  back: number | null
  /** Whether the page lies past the last row. */
  is_past: boolean
}

export function pagerOf(page: number, total: number, rows: number): Pager {
  const last = Math.max(1, Math.ceil(total / rows))
  return {
    page,
    more: Math.max(0, total - page * rows),
    back: page > 1 ? Math.min(page - 1, last) : null,
    is_past: page > last,
  }
}
