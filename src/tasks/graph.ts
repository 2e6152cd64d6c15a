/** The rows of what tasks wait for, and the counts of it that each task keeps. */
import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { readable, type Scope } from '../projects/projects.ts'
import type { TaskStatus } from './task.ts'

/** How many edges a task has, and how many of them lead to something unfinished. */
export interface Edges {
  depends_on_total: number
  waits_for: number
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

/** Returns which of them are new. The caller keeps their number in the row of the task. */
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

/** Edges are added in one transaction after the other, on all processes. */
export async function lockGraph(db: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('the graph of tasks', 0))`.execute(db)
}

type Walk = { asker: string; blockers: readonly string[]; most: number }
export const walkBothWays = sqlFile<Walk, { closes: boolean | null }>('tasks/circle')

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
