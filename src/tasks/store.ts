import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import {
  checkOwner,
  readable,
  scopeSql,
  writable,
  type OwnerScope,
  type Reached,
  type Scope,
} from '../projects/projects.ts'
import type { Edges } from './graph.ts'
import { TASK_COLUMNS, type Task, type TaskStatus } from './task.ts'

/** What a task waits for, as a column of a statement on tasks. */
const DEPENDS_ON = sql<string[]>`array(
  select d.depends_on from task_deps d where d.task_id = tasks.id order by d.depends_on)`.as(
  'depends_on',
)

/** Never earlier than it was: the clock may have stepped. */
const TOUCHED = {
  updated_at: sql<Date>`greatest(loam_now(), updated_at + interval '1 millisecond')`,
}

/** Held by nobody. */
const FREE = { claimed_by: '', claim_token: '', lease_expires_at: null, paths: [] as string[] }

export interface TaskRow extends Edges {
  id: string
  project: string
  title: string
  body: string
  plan: string
  created_by: string
}

export async function insertTask(db: Db, task: TaskRow): Promise<void> {
  await db.insertInto('tasks').values(task).execute()
}

/** A task as it stands, what the caller may do with it, and whether its holder's lease runs. */
export interface Standing extends Omit<Task, 'depends_on'>, Reached {
  claim_token: string
  waits_for: number
  /** Somebody holds it and the lease has not run out. */
  live: boolean
  /** What its holder is called; the id where the caller may not know. */
  holder: string
}

const standing = (db: Db, id: string, scope: Scope) =>
  db
    .selectFrom('tasks')
    .select([...TASK_COLUMNS, 'claim_token', 'waits_for'])
    .select([
      sql<boolean>`status = 'in_progress' and claimed_by <> ''
        and coalesce(lease_expires_at > loam_now(), false)`.as('live'),
      sql<string>`coalesce((select s.name from sessions s
        where s.id = tasks.claimed_by and ${readable(scope, 's.project')}), claimed_by)`.as(
        'holder',
      ),
      readable(scope, 'tasks.project').as('readable'),
      writable(scope, 'tasks.project').as('writable'),
    ])
    .where('id', '=', id)
    .$narrowType<{ status: TaskStatus }>()

/** By id, judged in the same statement. */
export const findStanding = (db: Db, id: string, scope: Scope): Promise<Standing | undefined> =>
  standing(db, id, scope).executeTakeFirst()

/** As it is once it is locked, which lasts until the transaction ends. */
export const lockStanding = (db: Db, id: string, scope: Scope): Promise<Standing | undefined> =>
  standing(db, id, scope).forNoKeyUpdate().executeTakeFirst()

/** For the owner, whom no fence stops; locked until the transaction ends. */
export function lockForOwner(
  db: Db,
  owner: OwnerScope,
  id: string,
): Promise<
  (Pick<Task, 'id' | 'project' | 'plan' | 'status' | 'claimed_by'> & { runs: boolean }) | undefined
> {
  checkOwner(owner)
  return db
    .selectFrom('tasks')
    .select(['id', 'project', 'plan', 'status', 'claimed_by'])
    .select(sql<boolean>`coalesce(lease_expires_at > loam_now(), false)`.as('runs'))
    .$narrowType<{ status: TaskStatus }>()
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

interface Claim {
  task: string
  session: string
  /** Of the claim, unless it is a renewal. */
  token: string
  seconds: number
  /** null: as they are, and of a new claim none. */
  paths: string[] | null
  /** Of the claim to be renewed; null: whichever it is. */
  claim_token: string | null
  /** The id under which the claim is recorded; null: the caller records it. */
  event: string | null
}
export interface Given extends Task {
  claim_token: string
  renewed: boolean
  prior_holder: string
  /** The payload of the event. */
  transition: { from: TaskStatus; to: 'in_progress' }
}
const claim = scopeSql<Claim, Given>('tasks/claim')

/** Gives the task to the session; undefined when that is not possible now. */
export async function putClaim(db: Db, asked: Claim, scope: Scope): Promise<Given | undefined> {
  const [given] = await claim(db, scope, asked)
  return given
}

/** Open, and held by nobody. */
export const reopen = (db: Db, id: string): Promise<Task> =>
  change(db, id, { status: 'open', ...FREE })

export interface Patch {
  title?: string
  body?: string
  project?: string
  /** Another than it has. */
  status?: TaskStatus
}

/** Changes the fields that are given, and counts the edges that it has got. */
export const patchTask = (
  db: Db,
  id: string,
  { status, ...fields }: Patch,
  { depends_on_total: edges, waits_for: waits }: Edges,
): Promise<Task> =>
  change(db, id, {
    ...fields,
    ...(status && entering(status)),
    ...(edges > 0 && { depends_on_total: sql<number>`depends_on_total + ${edges}::int` }),
    ...(waits > 0 && { waits_for: sql<number>`waits_for + ${waits}::int` }),
  })

/** What a status brings with it. Begun without a claim, a task is nobody's. */
function entering(status: TaskStatus) {
  if (status === 'in_progress') return { status, closed_at: null }
  if (status === 'open') return { status, closed_at: null, ...FREE }
  return { status, closed_at: sql<Date>`loam_now()`, ...FREE }
}

function change(db: Db, id: string, columns: object): Promise<Task> {
  return db
    .updateTable('tasks')
    .set({ ...columns, ...TOUCHED })
    .where('id', '=', id)
    .returning([...TASK_COLUMNS, DEPENDS_ON])
    .$narrowType<{ status: TaskStatus }>()
    .executeTakeFirstOrThrow()
}

/** The tasks that the session held, open now. In the order of their ids, so that two never deadlock. */
export async function reopenHeldBy(
  db: Db,
  session: string,
): Promise<{ id: string; project: string; plan: string }[]> {
  const held = await db
    .selectFrom('tasks')
    .select('id')
    .where('claimed_by', '=', session)
    .where('status', '=', sql.lit('in_progress'))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  if (held.length === 0) return []
  return db
    .updateTable('tasks')
    .set({ status: 'open', ...FREE, ...TOUCHED })
    .where(
      'id',
      'in',
      held.map(({ id }) => id),
    )
    .returning(['id', 'project', 'plan'])
    .execute()
}

/** The task whole, if the scope may read it. */
export function findTask(db: Db, id: string, scope: Scope): Promise<Task | undefined> {
  return db
    .selectFrom('tasks')
    .select([...TASK_COLUMNS, DEPENDS_ON])
    .$narrowType<{ status: TaskStatus }>()
    .where('id', '=', id)
    .where(readable(scope, 'tasks.project'))
    .executeTakeFirst()
}

/** Whether somebody has still to work on the plan. */
export async function hasUnfinishedStep(db: Db, project: string, plan: string): Promise<boolean> {
  const row = await db
    .selectFrom('tasks')
    .select('id')
    .where('project', '=', project)
    .where('plan', '=', plan)
    .where('status', 'in', ['open', 'in_progress'])
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
