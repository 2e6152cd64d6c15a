/** What of the common work needs a look: loose ends, plans in motion, what is up next, and the wire. */
import type { OwnerScope } from '../../projects/projects.ts'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import type { FeedEvent } from '../../kernel/feed.ts'
import { leftOf, spanOf } from '../durations.ts'
import { untoldKinds } from '../live/events.ts'
import {
  countReady,
  looseEnds,
  newestActs,
  plansInMotion,
  upNext,
  type LooseRow,
  type PlanRow,
} from './queries.ts'

const MOST_LOOSE = 50
const MOST_PLANS = 12
const MOST_READY = 12
const WIRE_READ = 40
const WIRE_SHOWN = 12

/** @param live ids of all who are at work: what they carry is no loose end */
export async function looseOf(
  db: Db,
  owner: OwnerScope,
  scope: string | null,
  live: readonly string[],
) {
  const rows = await looseEnds(db, owner, { scope, live, most: MOST_LOOSE })
  return { shown: rows.map(looseEndOf), total: rows[0]?.total ?? 0 }
}

export async function plansOf(db: Db, owner: OwnerScope, scope: string | null) {
  const rows = await plansInMotion(db, owner, { scope, most: MOST_PLANS })
  const { moving_total: moving = 0, unfinished_total: total = 0 } = rows[0] ?? {}
  return { shown: rows.map(planOf), moving, total }
}

export async function readyOf(db: Db, owner: OwnerScope, scope: string | null) {
  const [rows, total] = await Promise.all([
    upNext(db, owner, { scope, most: MOST_READY }),
    countReady(db, owner, scope),
  ])
  return {
    shown: rows.map(({ plan, ...task }) => ({ ...task, ...(plan && { plan_slug: plan }) })),
    total,
  }
}

export async function wireOf(kernel: Kernel, owner: OwnerScope, scope: string | null) {
  const untold = await untoldKinds(kernel)
  const acts = await newestActs(kernel.db, owner, { most: WIRE_READ, untold })
  return acts.filter((act) => isIn(scope, act)).slice(0, WIRE_SHOWN)
}

const isIn = (scope: string | null, { project }: FeedEvent): boolean =>
  scope === null || project === scope

function looseEndOf(row: LooseRow) {
  const { id, title, project, plan, holder, called, holder_id, lease, left, since } = row
  const lapsed = holder_id !== '' && (left === null || left <= 0)
  return {
    id,
    title,
    project,
    ...(plan && { plan_slug: plan }),
    ...(holder_id && { holder_id, holder: holder ?? holder_id, called: called ?? holder_id }),
    state: holder_id === '' ? 'claimless' : lapsed ? 'lapsed' : 'quiet-holder',
    ...(lease && { lease_exp: lease }),
    ...(left !== null && { lease_left: leftOf(left) }),
    ...(lapsed && left !== null && { lapsed_for: spanOf(-left) }),
    since,
    releasable: lapsed,
  } as const
}
function planOf({ project, plan, total, done, in_flight, claimable, moved, moving }: PlanRow) {
  const shareOf = (steps: number): number => Math.round((100 * steps) / total)
  return {
    project,
    slug: plan,
    total,
    done,
    in_flight,
    claimable,
    done_pct: shareOf(done),
    doing_pct: shareOf(in_flight),
    moving,
    last_activity: moved,
  }
}
