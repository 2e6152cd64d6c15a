import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { actorOf, mint } from '../kernel/moments.ts'
import type { FollowedPage } from '../postgres/followers.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { checkOwner, type OwnerScope } from '../projects/projects.ts'
import { planShipped } from './events.ts'

interface Asked {
  events: readonly string[]
  prev: string
  now: string
}
/** Of a closing after which no step of its plan was left, and at least one was done. */
interface Finished {
  event: string
  project: string
  plan: string
  steps: number
}
const finished = sqlFile<Asked, Finished>('momentum/finished')

/** Records the end of each plan whose last step was closed, once ever. */
export async function shipPlans(
  kernel: Kernel,
  { events, prev, now }: FollowedPage,
): Promise<void> {
  const closings = events.filter(({ kind, payload: { to, plan_slug: plan } }) => {
    return kind === 'task.transition' && (to === 'done' || to === 'dropped') && plan !== undefined
  })
  if (closings.length === 0) return
  const ids = closings.map(({ id }) => id)
  for (const { event, project, plan, steps } of await finished(kernel.db, {
    events: ids,
    prev,
    now,
  })) {
    const by = actorOf(closings.find(({ id }) => id === event)!)
    await mint(kernel, planShipped, { by, project, item: plan, payload: { plan, project, steps } })
  }
}

interface Plan {
  project: string
  /** Its slug. */
  plan: string
}

/** Returns those of the plans that were shipped. */
export async function shippedAmong<One extends Plan>(
  db: Db,
  owner: OwnerScope,
  plans: readonly One[],
): Promise<Set<One>> {
  checkOwner(owner)
  if (plans.length === 0) return new Set()
  const [projects, slugs] = [plans.map(({ project }) => project), plans.map(({ plan }) => plan)]
  const rows = await db
    .selectFrom('moments')
    .select(['project', 'item'])
    .where('kind', '=', planShipped.name)
    .where(
      sql<boolean>`(project, item) in (select * from unnest(${projects}::text[], ${slugs}::text[]))`,
    )
    .execute()
  const known = new Set(rows.map(({ project, item }) => `${project} ${item}`))
  return new Set(plans.filter(({ project, plan }) => known.has(`${project} ${plan}`)))
}
