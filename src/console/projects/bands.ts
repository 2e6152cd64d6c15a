/** The board's rows by family: what all share, each parent with its children, the others, and those out of use. */
import { reachOf, type Row } from './rows.ts'
import { parentsFirst } from './scopes.ts'

export interface Banded extends Row {
  /** Below how many parents it stands. */
  depth: number
}

export interface Band extends Sums {
  /** '' is the whole board, which has no bands. A family is called as its parent is. */
  label: string
  /** Of the parent of a family; null of other bands. */
  slug: string | null
  icon: '' | 'root' | 'family' | 'standalone' | 'retired'
  note: string
  count: number
  rows: Banded[]
}

/**
 * @param rows in the order that is asked for
 * @param all every project in that order, for who is whose parent: families stand as their parents would
 */
export function bandsOf(rows: readonly Row[], all: readonly Row[]): Band[] {
  const known = new Map(all.map((row) => [row.slug, row]))
  const above = (row: Row): Row[] => {
    const up: Row[] = []
    for (let at = row; at.parent_slug !== null && up.length < all.length;) {
      const next = known.get(at.parent_slug)
      if (!next) break
      up.push(next)
      at = next
    }
    return up
  }
  const inUse = rows.filter((row) => !row.retired && !row.global)
  const tops = Map.groupBy(inUse, (row) => above(row).at(-1)?.slug ?? row.slug)
  const order = new Map(all.map(({ slug }, at) => [slug, at]))
  const families = [...tops]
    .filter(
      ([top, members]) =>
        known.get(top)?.parent === true || members.some(({ slug }) => slug !== top),
    )
    .toSorted(([a], [b]) => order.get(a)! - order.get(b)!)
  const inFamily = new Set(families.flatMap(([, members]) => members))
  const standalone = inUse.filter((row) => !inFamily.has(row))
  const familyOf = (top: string, members: readonly Row[]) =>
    bandOf('family', known.get(top)!.name, inFamilyOrder(members), {
      ...{ slug: top, note: 'with what inherits from it' },
      depthOf: (row) => above(row).length,
    })
  return [
    bandOf(
      'root',
      'Shared by all',
      rows.filter((row) => row.global),
    ),
    ...families.map(([top, members]) => familyOf(top, members)),
    bandOf('standalone', families.length === 0 ? 'Projects' : 'Standalone', standalone),
    bandOf(
      'retired',
      'Retired',
      rows.filter((row) => row.retired),
    ),
  ].filter(({ count }) => count > 0)
}

const inFamilyOrder = (members: readonly Row[]): Row[] =>
  parentsFirst(members, ({ parent_slug }) => parent_slug)

export const flatBand = (rows: readonly Row[]): Band => bandOf('', '', rows)

function bandOf(
  icon: Band['icon'],
  label: string,
  rows: readonly Row[],
  {
    slug = null,
    note = '',
    depthOf = () => 0,
  }: { slug?: string | null; note?: string; depthOf?: (row: Row) => number } = {},
): Band {
  const banded = rows.map((row) => ({ ...row, depth: depthOf(row) }))
  return { label, slug, icon, note, count: rows.length, ...sumsOf(rows), rows: banded }
}

export type Sums = ReturnType<typeof sumsOf>

/** What rows hold together. The reach is that of all their memories, and no mean of shares. */
export function sumsOf(rows: readonly Row[]) {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0)
  return {
    working: sum((row) => row.working),
    sessions: sum((row) => row.sessions),
    open_tasks: sum((row) => row.open_tasks),
    blocked: sum((row) => row.blocked),
    memories: sum((row) => row.active),
    notes: sum((row) => row.notes),
    tokens_total: sum((row) => row.tokens_total),
    ...reachOf(
      sum((row) => row.surfaced),
      sum((row) => row.active),
    ),
  }
}
