/** Steps of plans, put and moved as their sessions would. */
import { sql } from 'kysely'
import { record } from '../../src/kernel/events.ts'
import { NOBODY } from '../../src/kernel/kernel.ts'
import { inTransaction } from '../../src/postgres/transaction.ts'
import { GLOBAL, openForWriting, scopeAt } from '../../src/projects/projects.ts'
import { addTask, taskTransition, type TaskStatus } from '../../src/tasks/tasks.ts'
import type { House } from './house.ts'

/** Adds a step and answers its id. */
export async function addStep(
  { app: { kernel } }: House,
  plan: string,
  { project = 'atlas', title = 'A step', session = '' } = {},
): Promise<string> {
  await openForWriting(kernel, GLOBAL, project)
  const target = { project, scope: await scopeAt(kernel.db, project) }
  const by = { ...NOBODY, session }
  return (await addTask(kernel, by, target, { title, plan })).id
}

/** Moves a step to a status, in the name of a session. */
export async function moveStep(
  { app: { kernel } }: House,
  id: string,
  to: TaskStatus,
  session = '',
): Promise<void> {
  await inTransaction(kernel, async (kernel) => {
    const { project, plan } = await kernel.db
      .updateTable('tasks')
      .set({ status: to, updated_at: sql<Date>`loam_now()` })
      .where('id', '=', id)
      .returning(['project', 'plan'])
      .executeTakeFirstOrThrow()
    const by = { ...NOBODY, session }
    const payload = { to, ...(plan && { plan_slug: plan }) }
    await record(kernel, taskTransition, { by, project, item: id, payload })
  })
}
