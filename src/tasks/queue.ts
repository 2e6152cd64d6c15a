/** What there is to do, read from the rows: the queue, lists of tasks, and what blocks them. */
import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { projectOf, scopeSql, type Scope } from '../projects/projects.ts'
import { TASK_COLUMNS, type Listed, type TaskStatus } from './task.ts'

type QueueParams = { plan: string; most: number; text: number; blockers: number }
type Totals = { ready_total: number; blocked_total: number; lapsed_total: number }
/** Without a part there is only the count. */
export type QueueRow = Totals &
  (
    | ({ part: 'ready' } & Listed)
    | ({ part: 'blocked' } & Waiting)
    | ({ part: 'lapsed' } & Listed)
    | { part: null }
  )
export const readQueue = scopeSql<QueueParams, QueueRow>('tasks/queue', { kept: true })

export interface Filter {
  plan: string
  status?: TaskStatus
  limit: number
}

/** Of a scope's project, the newest first, with how many there are. */
export async function listTasks(
  db: Db,
  scope: Scope,
  { plan, status, limit }: Filter,
  { text, blockers }: { text: number; blockers: number },
): Promise<{ tasks: Listed[]; total: number }> {
  const project = projectOf(scope)
  const matching = db
    .selectFrom('tasks')
    .where('project', '=', project)
    .where('plan', '=', plan)
    .$if(status !== undefined, (found) => found.where('status', '=', status!))
  const tasks = await matching
    .select(TASK_COLUMNS.filter((column) => column !== 'body'))
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

/** Something that is not finished and that a task waits for. */
export interface Blocker {
  id: string
  title: string
  status: TaskStatus
  readable: boolean
}

export interface Waiting extends Listed {
  /** How much it waits for. */
  waits_for: number
  /** Some of that, in the order of the ids. */
  blockers: Blocker[]
}

/** Some of what a task waits for, in the order of the ids. */
export const unfinishedBlockers = scopeSql<{ task: string; most: number }, Blocker>(
  'tasks/blockers',
  { kept: true },
)

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
    .where('status', '=', sql.lit('in_progress'))
    .where('claimed_by', '<>', sql.lit(''))
    .where('lease_expires_at', '>', sql<Date>`loam_now()`)
    .where(sql<boolean>`cardinality(paths) > 0`)
    .where('id', '<>', id)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(most)
    .execute()
}
