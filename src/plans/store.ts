import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../projects/projects.ts'
import { AGENT_TAG, CAPTURE_TAG, isCaptureOf, planTag, type PlanStatus } from './vocabulary.ts'

/** The plan that a session works on. */
export interface SessionPlan {
  /** The name of the plan's file, without .md; '' without a plan. */
  basename: string
  plan: string
  status: string
  /** The slugs of notes that wait for a plan. */
  pending_agents: string[]
}

/**
 * What the session works on in the project. Its plan lies elsewhere when the session, or the note of the plan, has
 * moved, and nowhere when the note is gone: then the file's name and what waits are all that is left.
 */
export async function planOfSession(
  db: Db,
  session: string,
  project: string,
): Promise<SessionPlan | undefined> {
  const found = await db
    .selectFrom('session_plans')
    .select(['basename', 'plan', 'status', 'pending_agents'])
    .select(
      sql<boolean>`exists (select from notes n where n.project = ${project}
        and n.tags @> array[${CAPTURE_TAG}, ${planTag('')} || session_plans.plan]::text[])`.as(
        'here',
      ),
    )
    .where('session_id', '=', session)
    .executeTakeFirst()
  if (!found) return undefined
  const { here, ...row } = found
  return here ? row : { ...row, plan: '', status: '' }
}

/** Sets the plan of the session. Waiting runs stay until a plan adopts them. */
export async function putSessionPlan(
  db: Db,
  session: string,
  plan: Omit<SessionPlan, 'pending_agents'>,
): Promise<void> {
  if (session === '') return
  await db
    .insertInto('session_plans')
    .values({ session_id: session, ...plan })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(plan))
    .execute()
}

/**
 * Sets what became of a captured plan for every session that had a part in it, whoever decided. `note` is the slug of its
 * note: a session may have had a part in this one and work on a plan of its name in another project.
 */
export async function settlePlan(
  db: Db,
  {
    project,
    plan,
    note,
    status,
  }: { project: string; plan: string; note: string; status: PlanStatus },
): Promise<void> {
  const parts = db
    .selectFrom('plan_sessions')
    .select('session_id')
    .where('project', '=', project)
    .where('plan', '=', plan)
  const rows = await db
    .selectFrom('session_plans')
    .select(['session_id', 'basename'])
    .where('plan', '=', plan)
    .where('session_id', 'in', parts)
    .execute()
  const ids = rows
    .filter(({ basename }) => isCaptureOf(note, basename))
    .map((row) => row.session_id)
  if (ids.length === 0) return
  await db.updateTable('session_plans').set({ status }).where('session_id', 'in', ids).execute()
}

/** The note of a captured plan; undefined: it is gone. */
export const noteOfPlan = (
  db: Db,
  id: string,
): Promise<{ project: string; slug: string; tags: string[] } | undefined> =>
  db.selectFrom('notes').select(['project', 'slug', 'tags']).where('id', '=', id).executeTakeFirst()

export async function parkAgent(db: Db, session: string, slug: string): Promise<void> {
  if (session === '') return
  const pending_agents = sql<string[]>`array_append(session_plans.pending_agents, ${slug})`
  await db
    .insertInto('session_plans')
    .values({ session_id: session, pending_agents: [slug] })
    .onConflict((conflict) =>
      conflict
        .column('session_id')
        .doUpdateSet({ pending_agents })
        .where(sql<boolean>`not ${slug} = any (session_plans.pending_agents)`),
    )
    .execute()
}

export async function unparkAgents(
  db: Db,
  session: string,
  slugs: readonly string[],
): Promise<void> {
  await db
    .updateTable('session_plans')
    .set({
      pending_agents: sql<string[]>`array(
        select slug from unnest(pending_agents) as slug where slug <> all (${slugs}::text[]))`,
    })
    .where('session_id', '=', session)
    .execute()
}

/** Returns the plans among these tags that belong to other captures of the project. */
export async function ownedPlans(
  db: Db,
  project: string,
  tags: readonly string[],
  except: string,
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('notes')
    .select('tags')
    .where('project', '=', project)
    .where('slug', '<>', except)
    .where(sql<boolean>`tags @> array[${CAPTURE_TAG}]::text[]`)
    .where(sql<boolean>`tags && ${tags}::text[]`)
    .execute()
  return new Set(rows.flatMap((row) => row.tags))
}

/** Locks the row of the capture until the transaction ends, so that two approvals make one task. */
export async function lockCapture(db: Db, id: string): Promise<void> {
  await db.selectFrom('notes').select('id').where('id', '=', id).forUpdate().execute()
}

export async function hasAnyStep(db: Db, project: string, plan: string): Promise<boolean> {
  const row = await db
    .selectFrom('tasks')
    .select('id')
    .where('project', '=', project)
    .where('plan', '=', plan)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Records that the session took part in the plan. */
export async function attribute(
  db: Db,
  { project, plan, session: session_id }: { project: string; plan: string; session: string },
): Promise<void> {
  if (session_id === '' || plan === '') return
  await db
    .insertInto('plan_sessions')
    .values({ project, plan, session_id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export interface PlanNote {
  id: string
  slug: string
  title: string
  /** Whether the note is the run of a planning subagent. */
  run: boolean
  moved: Date
}

interface PlanPlace {
  project: string
  plan: string
  most: number
}

const notesJoining = (db: Db, owner: OwnerScope, { project, plan, most }: PlanPlace) => {
  checkOwner(owner)
  return db
    .selectFrom('notes')
    .where('project', '=', project)
    .where(sql<boolean>`tags @> array[${`plan:${plan}`}]::text[]`)
    .orderBy('created_at')
    .orderBy('id')
    .limit(most)
}

/** Returns the notes of a plan, the oldest first. */
export function notesOfPlan(db: Db, owner: OwnerScope, place: PlanPlace): Promise<PlanNote[]> {
  return notesJoining(db, owner, place)
    .select(['id', 'slug', 'title', 'updated_at as moved'])
    .select(sql<boolean>`tags @> array[${AGENT_TAG}]::text[]`.as('run'))
    .execute()
}

/** Returns the texts of these notes in the same order. */
export function textsOfNotes(
  db: Db,
  owner: OwnerScope,
  place: PlanPlace,
): Promise<{ slug: string; body: string }[]> {
  return notesJoining(db, owner, place).select(['slug', 'body']).execute()
}

export async function bodyOfNote(db: Db, owner: OwnerScope, id: string): Promise<string> {
  checkOwner(owner)
  const row = await db.selectFrom('notes').select('body').where('id', '=', id).executeTakeFirst()
  return row?.body ?? ''
}
