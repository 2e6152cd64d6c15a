import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { containing } from '../../text/like.ts'
import type { SearchHit, SearchQuestion } from '../screen.ts'

interface PlanRow {
  /** '' is the global scope. */
  project: string
  plan: string
  /** The id of the note that tells it; null when it is steps alone. */
  note: string | null
  title: string | null
  description: string
  favorite: boolean
  moved: Date
  steps: number
  done: number
}
type Params = { query: string; pattern: string; most: number }
const calledSo = scopeSql<Params, PlanRow, OwnerScope>('search/plans')

/** Plans whose slug, or the title of whose note, holds the text. */
export async function searchPlans(
  { db }: Kernel,
  owner: OwnerScope,
  { query, limit }: SearchQuestion,
): Promise<SearchHit[]> {
  const pattern = containing(query)
  const rows = await calledSo(db, owner, { query, pattern, most: limit })
  return rows.map((row) => ({
    id: row.plan,
    title: row.title ?? row.plan,
    identifier: row.plan,
    project: row.project || null,
    description: [progressOf(row), row.description].filter(Boolean).join(' · '),
    updated: row.moved,
    ...(row.favorite && { favorite: true as const }),
    ...placeOf(row),
    ...matchOf(row.plan, query.toLowerCase()),
  }))
}

const progressOf = ({ steps, done }: PlanRow): string =>
  steps === 0 ? '' : `${done} of ${steps} ${steps === 1 ? 'step' : 'steps'} closed`

/** While plans have no page of their own they are read in their note, or found in their steps. */
function placeOf({ note, plan }: PlanRow): Pick<SearchHit, 'href' | 'peek'> {
  if (note === null) {
    const steps = new URLSearchParams({ q: plan, scope: 'tasks' })
    return { href: `/console/search?${steps.toString()}` }
  }
  return { href: `/console/notes/${note}`, peek: `/console/notes/${note}?peek=1` }
}

function matchOf(slug: string, asked: string): Pick<SearchHit, 'matchKind'> {
  if (slug === asked) return { matchKind: 'exact_identifier' }
  return slug.includes(asked) ? { matchKind: 'identifier' } : {}
}
