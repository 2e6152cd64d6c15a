/** Slugs that nobody registered: what a caller is told who names one. */
import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { Refusal } from '../kernel/refusal.ts'
import { nearest } from '../kernel/suggest.ts'
import type { Place } from './isolation.ts'
import type { Verdict } from './judge.ts'
import { quote } from './slugs.ts'

/** What an answer says of a project that its call has made. */
export interface Created {
  project_created: true
  /** One that was there and is written nearly so. */
  nearest_project?: string
}

/** Slugs that a refusal names. */
const NAMED = 3

/**
 * Refuses a read of a project that is not there: one that matches nothing answers like one that knows
 * nothing. The caller's own may lack its row, as after a lost database.
 */
export async function refuseUnknown(db: Db, caller: Place, target: Verdict): Promise<void> {
  const { project, registered } = target
  if (registered || project === '' || project === caller.project) return
  const slugs = await slugsFor(db, caller, 'read')
  const longer = slugs.filter((slug) => slug.includes(project) || project.includes(slug))
  const meant = [...new Set([...nearest(project, slugs), ...longer])].slice(0, NAMED)
  const named = meant.map(quote).join(' or ')
  throw new Refusal(
    'not_found',
    `unknown project ${quote(project)}; ` +
      (named === '' ? '' : `did you mean ${named}? `) +
      'project_list names all there are',
  )
}

/** What the caller is told when its write has made the project. */
export async function created(db: Db, caller: Place, project: string): Promise<Created> {
  const others = (await slugsFor(db, caller, 'add')).filter((slug) => slug !== project)
  const [near] = nearest(project, others)
  return { project_created: true, ...(near !== undefined && { nearest_project: near }) }
}

/** The projects in use that the caller may read or add to, by slug. */
async function slugsFor(
  db: Db,
  { project, isolation }: Place,
  act: 'read' | 'add',
): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`
    select slug from projects
    where retired_at is null and fence_allows(${act}, ${project}, ${isolation}, slug, isolation)
    order by slug`.execute(db)
  return rows.map(({ slug }) => slug)
}
