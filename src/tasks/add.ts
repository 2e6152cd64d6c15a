import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { indexItem } from '../passages/passages.ts'
import { judgeAdd, refuseUnseenPlan, type Scope } from '../projects/projects.ts'
import { checkBody, checkTitle } from './checks.ts'
import { blockersIn, dependFromBirth, edgesTo, holdBlockers } from './edges.ts'
import { taskTransition } from './events.ts'
import { insertTask } from './store.ts'
import type { Task } from './task.ts'

export interface TaskDraft {
  title: string
  body?: string | undefined
  /** The slug of the plan that it is a step of. */
  plan?: string | undefined
  /** Who made it, as people call them: the name of a session. */
  created_by?: string
  /** Ids of tasks that must be finished first, of any project that may be read. */
  depends_on?: string[] | undefined
}

/** Refuses what could be no task, before a project is registered for it. */
export async function checkDraft(kernel: Kernel, scope: Scope, draft: TaskDraft): Promise<void> {
  checkTitle(draft.title)
  checkBody(draft.body ?? '')
  await holdBlockers(kernel, scope, blockersIn(draft.depends_on, 'depends_on'))
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
): Promise<Task> {
  const { project, scope } = target
  const title = checkTitle(draft.title)
  const { body = '', created_by = '' } = draft
  checkBody(body)
  const plan = (draft.plan ?? '').trim()
  const depends_on = blockersIn(draft.depends_on, 'depends_on')
  const id = newId(kernel.clock.now())
  return inTransaction(kernel, async (kernel) => {
    const readable = await judgeAdd(kernel.db, scope, project)
    if (!readable && plan !== '') refuseUnseenPlan({ project })
    const held = await holdBlockers(kernel, scope, depends_on)
    const row = { id, project, title, body, plan, created_by, ...edgesTo(held) }
    await insertTask(kernel.db, row)
    await dependFromBirth(kernel, id, held)
    await indexTask(kernel, { id, project, title, body, plan })
    const payload = {
      to: 'open' as const,
      created: true as const,
      ...(plan && { plan_slug: plan }),
    }
    await record(kernel, taskTransition, { by, project, item: id, payload })
    const nobodys = { claimed_by: '', lease_expires_at: null, paths: [], favorite: false }
    return { id, title, body, project, status: 'open', plan, created_by, depends_on, ...nobodys }
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
