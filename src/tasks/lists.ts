/** What there is to do: the queue of a project, and its tasks. */
import type { Kernel } from '../kernel/kernel.ts'
import type { Scope } from '../projects/projects.ts'
import { unknownTask } from './holder.ts'
import * as queue from './queue.ts'
import { findTask } from './store.ts'
import type { Listed, Task } from './task.ts'

/** Characters of a body that a list shows. */
const TEXT = 1_000
/** Ids and blockers that a list shows of one task. */
const BLOCKERS = 20

export interface Queue {
  ready: Listed[]
  /** Of a fenced project the id of a blocker alone is shown. */
  blocked: queue.Waiting[]
  /** Begun, and held by nobody: the next claim takes it over. */
  lapsed: Listed[]
  ready_total: number
  blocked_total: number
  lapsed_total: number
}

/** Steps of the plan, or what belongs to none; the oldest first. */
export async function readyTasks(
  kernel: Kernel,
  scope: Scope,
  { plan, limit }: { plan: string; limit: number },
): Promise<Queue> {
  const asked = { plan, most: limit, text: TEXT, blockers: BLOCKERS }
  const rows = await queue.readQueue(kernel.db, scope, asked)
  const { ready_total, blocked_total, lapsed_total } = rows[0]!
  return {
    ready: rows.filter((row) => row.part === 'ready'),
    blocked: rows.filter((row) => row.part === 'blocked'),
    lapsed: rows.filter((row) => row.part === 'lapsed'),
    ready_total,
    blocked_total,
    lapsed_total,
  }
}

export const listTasks = (
  { db }: Kernel,
  scope: Scope,
  filter: queue.Filter,
): Promise<{ tasks: Listed[]; total: number }> =>
  queue.listTasks(db, scope, filter, { text: TEXT, blockers: BLOCKERS })

/** One task whole, wherever it lies. */
export async function getTask({ db }: Kernel, scope: Scope, id: string): Promise<Task> {
  const task = await findTask(db, id, scope)
  if (!task) throw unknownTask(id)
  return task
}
