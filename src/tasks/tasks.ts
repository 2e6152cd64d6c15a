/**
 * Tasks: work that agents divide among themselves. Rows only; recall finds them by their text.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in tasks/.
 */
import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { inTransaction } from '../kernel/transaction.ts'
import { indexItem } from '../passages/passages.ts'
import { judgeWrite, type Scope } from '../projects/projects.ts'
import { taskTransition } from './events.ts'
import { insertTask, reopenHeldBy } from './store.ts'

export { taskTransition } from './events.ts'
export { hasUnfinishedStep } from './store.ts'

export const TASK_STATUSES = ['open', 'in_progress', 'done', 'dropped'] as const
export type TaskStatus = (typeof TASK_STATUSES)[number]

export interface TaskDraft {
  title: string
  body?: string
  /** The slug of the plan that it is a step of. */
  plan?: string
  /** Who made it, as people call them: the name of a session. */
  created_by?: string
  paths?: string[]
}

/** What was added. */
export interface NewTask {
  id: string
  title: string
  status: TaskStatus
  project: string
}

/**
 * Adds an open task. `project` has been resolved; whether the scope may write there is judged once
 * more beside the row.
 */
export async function addTask(
  kernel: Kernel,
  by: Actor,
  target: { project: string; scope: Scope },
  draft: TaskDraft,
): Promise<NewTask> {
  const { project, scope } = target
  const title = draft.title.trim()
  if (title === '') throw invalid('title must not be blank')
  const { body = '', plan = '', created_by = '', paths = [] } = draft
  const id = newId(kernel.clock.now())
  return inTransaction(kernel, async (kernel) => {
    await judgeWrite(kernel.db, scope, project)
    await insertTask(kernel.db, { id, project, title, body, plan: plan.trim(), created_by, paths })
    await indexTask(kernel, { id, project, title, body, plan: plan.trim() })
    const payload = {
      to: 'open' as const,
      created: true as const,
      ...(plan && { plan_slug: plan }),
    }
    await record(kernel, taskTransition, { by, project, item: id, payload })
    return { id, title, status: 'open', project }
  })
}

/** A task is found by its title, its plan and its text, and stays so when it is closed. */
export async function indexTask(
  kernel: Kernel,
  task: { id: string; project: string; title: string; body: string; plan: string },
): Promise<void> {
  const { id, project, title, body, plan } = task
  const found = { title, description: plan, text: body }
  await indexItem(kernel, { kind: 'task', id, project, active: true, ...found, whole: true })
}

/**
 * Gives back every task that the session holds: open again, held by nobody. One transition each.
 * Call it in the transaction that ends the session.
 */
export async function releaseClaims(kernel: Kernel, session: string): Promise<number> {
  const released = await reopenHeldBy(kernel.db, session)
  for (const { id, project, plan } of released) {
    await record(kernel, taskTransition, {
      by: { session, model: '' },
      project,
      item: id,
      payload: { to: 'open', released: true, ...(plan && { plan_slug: plan }) },
    })
  }
  return released.length
}
