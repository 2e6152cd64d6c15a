/** Every scope that there is: the projects, registered or not, and the global one. */
import { findOptions } from '../../briefing/briefing.ts'
import { scopeSql, type Isolation, type OwnerScope } from '../../projects/projects.ts'
import { keptAnswers } from '../kept-answers.ts'
import type { ScreenApp } from '../screen.ts'

export interface ScopeRow {
  /** '' is the global scope. */
  slug: string
  registered: boolean
  name: string
  description: string
  isolation: Isolation
  parent: string | null
  /** Since when it is out of use. */
  retired: Date | null
  favorite: boolean
  created: Date | null
  updated: Date | null
  has_children: boolean
  /** Active ones of its own. */
  memories: number
  /** Active ones of its parent that its agents are told. */
  inherited: number
}
const scopes = scopeSql<{ slug: string | null; inherits: boolean }, ScopeRow, OwnerScope>(
  'projects/scopes',
)

/** All of them in the order of their slugs; or the one of this slug, if there is one. */
export async function readScopes({ kernel, owner }: ScreenApp, slug?: string): Promise<ScopeRow[]> {
  const { include_parent_memories: inherits } = await findOptions(kernel)
  const asked = { slug: slug ?? null, inherits }
  return keptAnswers(kernel.db)('scopes', asked, () => scopes(kernel.db, owner, asked))
}

/** What a scope is among the others, in a word. */
export function roleOf({ slug, registered, retired, has_children, parent }: ScopeRow): string {
  if (slug === '') return 'shared root'
  if (!registered) return 'unregistered'
  if (retired !== null) return 'retired'
  if (has_children) return 'parent'
  return parent === null ? 'standalone' : 'child'
}

/** The global scope, then each parent before its children, then those out of use. Others stay in their order. */
export function inTreeOrder(rows: readonly ScopeRow[]): ScopeRow[] {
  const rank = ({ slug, retired }: ScopeRow) => (slug === '' ? 0 : retired === null ? 1 : 2)
  const ranked = rows.toSorted((a, b) => rank(a) - rank(b))
  return parentsFirst(ranked, ({ parent }) => parent)
}

/** Each after its parent and before what follows that. A parent that is not among them is none. */
export function parentsFirst<Row extends { slug: string }>(
  rows: readonly Row[],
  parentOf: (row: Row) => string | null,
): Row[] {
  const slugs = new Set(rows.map(({ slug }) => slug))
  const isTop = (row: Row) => {
    const up = parentOf(row)
    return up === null || up === row.slug || !slugs.has(up)
  }
  const below = Map.groupBy(
    rows.filter((row) => !isTop(row)),
    (row) => parentOf(row)!,
  )
  const placed = new Set<string>()
  function from(row: Row): Row[] {
    if (placed.has(row.slug)) return []
    placed.add(row.slug)
    return [row, ...(below.get(row.slug) ?? []).flatMap(from)]
  }
  const order = rows.filter(isTop).flatMap(from)
  // Those that are each other's parents are below none.
  return [...order, ...rows.filter(({ slug }) => !placed.has(slug))]
}
