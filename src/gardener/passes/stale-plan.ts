/** Captured plans that nobody took up. One that is only slow is kept: its work goes on. */
import { wireTime } from '../../kernel/clock.ts'
import { newId } from '../../kernel/id.ts'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import type { DraftOf } from '../store.ts'
import { chunksOf } from './chunks.ts'
import { databaseTime, DAY_MS, daysSince } from './clock.ts'
import type { Pass } from './pass.ts'
import { unsettled } from './unsettled.ts'

interface Waiting {
  /** Of its note. */
  id: string
  project: string
  note_slug: string
  title: string
  status: string
  plan: string
  /** Tasks that belong to it, and those that are done. */
  steps: number
  done: number
  /** When its note or one of its steps was changed last. */
  moved_at: Date
}

interface Quiet extends Waiting {
  key: string
  last_activity: Date
  /** Since when it counts as stale. */
  last: Date
}

/** The note with which a page ends is in each row of it, also in the one row of a page without a match. */
type Paged<Row> = Row & { last: string | null }

const stalePlans = scopeSql<
  { cutoff: Date; after: string; page: number },
  Paged<Waiting>,
  OwnerScope
>('gardener/stale_plans')

/** Plans that are found in one run at most, and notes that one statement looks at. */
const MOST_FOUND = 2_000
const PAGE = 200

/**
 * Nobody approved it, no session that took part in it is at work, and nobody changed its notes, claimed or changed its
 * steps for `gardener.stale_plan_days`; 0 is off.
 */
export const stalePlan: Pass = {
  name: 'stale-plan',
  isOn: ({ stale_plan_days }) => stale_plan_days > 0,
  async look(kernel, owner, most) {
    const { stale_plan_days: days } = kernel.config.gardener
    const now = await databaseTime(kernel.db)
    const cutoff = new Date(Math.max(0, now.getTime() - days * DAY_MS))
    const waiting = await listWaiting(kernel.db, owner, cutoff)
    const moved = await lastNotes(kernel.db, owner, waiting)
    const quiet = waiting.flatMap((plan): Quiet[] => {
      const noted = moved.get(placeOf(plan.project, `plan:${plan.plan}`))
      const last_activity = noted && noted > plan.moved_at ? noted : plan.moved_at
      if (last_activity >= cutoff) return []
      const last = new Date(last_activity.getTime() + days * DAY_MS)
      return [{ ...plan, key: `abandon_plan:${plan.id}`, last_activity, last }]
    })
    const found = (await unsettled(kernel.db, owner, quiet)).toSorted(byQuiet)
    const drafts = found.slice(0, most).map((plan) => abandoning(kernel, plan, now))
    return { drafts, found: found.length }
  },
}

async function listWaiting(db: Db, owner: OwnerScope, cutoff: Date): Promise<Waiting[]> {
  const waiting: Waiting[] = []
  let after = ''
  while (waiting.length < MOST_FOUND) {
    const rows = await stalePlans(db, owner, { cutoff, after, page: PAGE })
    const { last } = rows[0]!
    if (last === null) break
    after = last
    waiting.push(...rows.filter(({ id }) => id !== null))
  }
  return waiting
}

interface Noted {
  project: string
  tag: string
  at: Date
}

const planNotes = scopeSql<{ tags: string[] }, Noted, OwnerScope>('gardener/plan_notes')

/** Plans whose notes are looked up by one statement. */
const AT_ONCE = 50

/** When a note of a plan was changed last, by project and tag. */
async function lastNotes(
  db: Db,
  owner: OwnerScope,
  plans: readonly Waiting[],
): Promise<Map<string, Date>> {
  const tags = [...new Set(plans.map(({ plan }) => `plan:${plan}`))]
  const last = new Map<string, Date>()
  for (const some of chunksOf(tags, AT_ONCE)) {
    for (const { project, tag, at } of await planNotes(db, owner, { tags: some })) {
      last.set(placeOf(project, tag), at)
    }
  }
  return last
}

const placeOf = (project: string, tag: string): string => JSON.stringify([project, tag])

/** The longest quiet first. */
const byQuiet = (a: Quiet, b: Quiet): number =>
  a.last_activity.getTime() - b.last_activity.getTime() || (a.id < b.id ? -1 : 1)

function abandoning(kernel: Kernel, plan: Quiet, now: Date): DraftOf<'abandon_plan'> {
  const { id, key, last, project, note_slug, title, status, last_activity } = plan
  return {
    id: newId(kernel.clock.now()),
    kind: 'abandon_plan',
    key,
    evidence_at: last,
    projects: [project],
    items: [id],
    pass: stalePlan.name,
    payload: {
      ...{ id, slug: plan.plan, note_slug, title, project, plan_status: status },
      reason: reasonOf(plan, daysSince(last_activity, now)),
      last_activity: wireTime(last_activity),
    },
  }
}

function reasonOf({ status, steps, done }: Quiet, days: number): string {
  const quiet = `it is ${status}, and neither its notes nor its steps were changed for ${days} days`
  return steps === 0 ? quiet : `${quiet}; ${done} of ${steps} steps done`
}
