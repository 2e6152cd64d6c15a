import { sql, type RawBuilder } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { readable, writable, type Reached, type Scope } from '../projects/projects.ts'
import type { Listed, Task, TaskStatus } from './task.ts'

const COLUMNS = [
  'id',
  'project',
  'title',
  'body',
  'status',
  'created_by',
  'plan',
  'claimed_by',
  'lease_expires_at',
  'paths',
  'favorite',
] as const

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

/** How many edges a task has, and how many of them lead to something unfinished. */
export interface Edges {
  depends_on_total: number
  waits_for: number
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
}

const standing = (db: Db, id: string, scope: Scope) =>
  db
    .selectFrom('tasks')
    .select([...COLUMNS, 'claim_token', 'waits_for'])
    .select([
      sql<boolean>`status = 'in_progress' and claimed_by <> ''
        and coalesce(lease_expires_at > loam_now(), false)`.as('live'),
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

/** As the owner has it, who is fenced nowhere; locked until the transaction ends. */
export function lockForOwner(
  db: Db,
  id: string,
): Promise<Pick<Task, 'id' | 'project' | 'plan' | 'status' | 'claimed_by'> | undefined> {
  return db
    .selectFrom('tasks')
    .select(['id', 'project', 'plan', 'status', 'claimed_by'])
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
  readable: boolean
  renewed: boolean
  prior_holder: string
  /** What the event tells. */
  told: { from: TaskStatus; to: 'in_progress' }
}
const claim = sqlFile<Claim & { caller: string; isolation: string }, Given>('tasks/claim')

/** From now on the session holds the task. Undefined: not as things stand. */
export async function putClaim(
  db: Db,
  asked: Claim,
  { caller }: Scope,
): Promise<Given | undefined> {
  const { project, isolation } = caller
  const [given] = await claim(db, { ...asked, caller: project, isolation })
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
    .returning([...COLUMNS, DEPENDS_ON])
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
    .where('status', '=', 'in_progress')
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

/** One edge more or less for all that wait for the task, which was finished or is unfinished again. */
export async function countForDependents(db: Db, id: string, by: 1 | -1): Promise<void> {
  await sql`
    with waiting as (
      select t.id from tasks t join task_deps d on d.task_id = t.id
      where d.depends_on = ${id} order by t.id for no key update of t)
    update tasks set waits_for = tasks.waits_for + ${by}::int
    from waiting where tasks.id = waiting.id`.execute(db)
}

/** Those of the tasks that the scope may read. Their statuses stay until the transaction ends. */
export function lockBlockers(
  db: Db,
  ids: readonly string[],
  scope: Scope,
): Promise<{ id: string; status: TaskStatus }[]> {
  return db
    .selectFrom('tasks')
    .select(['id', 'status'])
    .$narrowType<{ status: TaskStatus }>()
    .where('id', 'in', [...ids])
    .where(readable(scope, 'tasks.project'))
    .orderBy('id')
    .forShare()
    .execute()
}

/** Answers which of them are new. Their number is kept in the row of the task, by whoever calls. */
export async function insertEdges(
  db: Db,
  task: string,
  blockers: readonly string[],
): Promise<Set<string>> {
  const added = await db
    .insertInto('task_deps')
    .expression(sql<never>`select ${task}, unnest(${[...blockers]}::text[])`)
    .onConflict((conflict) => conflict.doNothing())
    .returning('depends_on')
    .execute()
  return new Set(added.map(({ depends_on }) => depends_on))
}

/** Edges are added one transaction after the other, by whoever. */
export async function lockGraph(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('the graph of tasks', 0))`.execute(db)
}

type Walk = { asker: string; blockers: readonly string[]; most: number }
export const walkBothWays = sqlFile<Walk, { closes: boolean | null }>('tasks/circle')

/** Some of what each of the tasks waits for and that is not finished, in the order of their ids. */
export const unfinishedBlockers = (
  db: Db,
  tasks: readonly string[],
  scope: Scope,
  most: number,
): Promise<Blocker[]> => blockersOf(db, sql`${[...tasks]}::text[]`, scope, most)

/** The same of the tasks that the queue tells as blocked. */
export const blockersInQueue = (
  db: Db,
  { project, plan, most, blockers }: Omit<QueueParams, 'text'>,
  scope: Scope,
): Promise<Blocker[]> =>
  blockersOf(
    db,
    sql`array(select id from tasks
      where project = ${project} and plan = ${plan} and status = 'open' and blocked
      order by created_at, id limit ${most})`,
    scope,
    blockers,
  )

async function blockersOf(
  db: Db,
  tasks: RawBuilder<unknown>,
  scope: Scope,
  most: number,
): Promise<Blocker[]> {
  const { rows } = await sql<Blocker>`
    select t.id as task, t.waits_for as total, b.* from tasks t cross join lateral (
      select b.id, b.title, b.status, ${readable(scope, 'b.project')} as readable
      from task_deps d join tasks b on b.id = d.depends_on
      where d.task_id = t.id and b.status in ('open', 'in_progress')
      order by d.depends_on limit ${most}) b
    where t.id = any (${tasks}) and t.waits_for > 0`.execute(db)
  return rows
}

export interface Blocker {
  /** Which waits for it. */
  task: string
  id: string
  title: string
  status: TaskStatus
  readable: boolean
  /** How many there are in all. */
  total: number
}

type QueueParams = { project: string; plan: string; most: number; text: number; blockers: number }
type Totals = { ready_total: number; blocked_total: number; lapsed_total: number }
/** Without a part there is only the count. */
export type QueueRow = Totals &
  (({ part: 'ready' | 'blocked' | 'lapsed' } & Listed) | { part: null })
export const readQueue = sqlFile<QueueParams, QueueRow>('tasks/queue')

export interface Filter {
  plan: string
  status?: TaskStatus
  limit: number
}

/** Of a scope's project, the newest first, with how many there are. */
export async function listTasks(
  db: Db,
  { project }: Scope,
  { plan, status, limit }: Filter,
  { text, blockers }: { text: number; blockers: number },
): Promise<{ tasks: Listed[]; total: number }> {
  const matching = db
    .selectFrom('tasks')
    .where('project', '=', project)
    .where('plan', '=', plan)
    .$if(status !== undefined, (found) => found.where('status', '=', status!))
  const tasks = await matching
    .select(COLUMNS.filter((column) => column !== 'body'))
    .select([
      sql<string>`left(body, ${text}::int)`.as('body'),
      sql<boolean>`length(body) > ${text}::int`.as('cut'),
      sql<string[]>`array(select d.depends_on from task_deps d where d.task_id = tasks.id
        order by d.depends_on limit ${blockers}::int)`.as('depends_on'),
      'depends_on_total',
    ])
    .$narrowType<{ status: TaskStatus }>()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
  if (tasks.length < limit) return { tasks, total: tasks.length }
  const { total } = await db
    .selectFrom('task_totals')
    .select(sql<number>`coalesce(sum(${sql.raw(COUNTED[status ?? 'any'])}), 0)::int`.as('total'))
    .where('project', '=', project)
    .where('plan', '=', plan)
    .executeTakeFirstOrThrow()
  return { tasks, total }
}

/** What of the totals counts the tasks of a status. */
const COUNTED: Record<TaskStatus | 'any', string> = {
  open: 'ready + blocked',
  in_progress: 'in_progress',
  done: 'done',
  dropped: 'dropped',
  any: 'ready + blocked + in_progress + done + dropped',
}

/** The task whole, if the scope may read it. */
export function findTask(db: Db, id: string, scope: Scope): Promise<Task | undefined> {
  return db
    .selectFrom('tasks')
    .select([...COLUMNS, DEPENDS_ON])
    .$narrowType<{ status: TaskStatus }>()
    .where('id', '=', id)
    .where(readable(scope, 'tasks.project'))
    .executeTakeFirst()
}

/** Live claims of others in the project that said which paths they change, the newest first. */
export function claimsWithPaths(
  db: Db,
  { id, project }: { id: string; project: string },
  most: number,
): Promise<{ id: string; title: string; claimed_by: string; paths: string[] }[]> {
  return db
    .selectFrom('tasks')
    .select(['id', 'title', 'claimed_by', 'paths'])
    .where('project', '=', project)
    .where('status', '=', 'in_progress')
    .where('claimed_by', '<>', '')
    .where('lease_expires_at', '>', sql<Date>`loam_now()`)
    .where(sql<boolean>`cardinality(paths) > 0`)
    .where('id', '<>', id)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()
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

/** Counts anew what each task waits for, and how many there are. For rows that came from elsewhere. */
export function recount(kernel: Kernel): Promise<void> {
  return inTransaction(kernel, async ({ db }) => {
    await sql`lock table tasks in share row exclusive mode`.execute(db)
    await sql`
      update tasks set depends_on_total = counted.edges, waits_for = counted.waits_for from (
        select t.id, count(d.depends_on)::int as edges, count(b.id)::int as waits_for from tasks t
        left join task_deps d on d.task_id = t.id
        left join tasks b on b.id = d.depends_on and b.status in ('open', 'in_progress')
        group by t.id) counted
      where tasks.id = counted.id
        and (tasks.depends_on_total, tasks.waits_for) <> (counted.edges, counted.waits_for)`.execute(
      db,
    )
    await sql`select recount_tasks()`.execute(db)
  })
}
