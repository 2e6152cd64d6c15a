import { record } from '../kernel/events.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { judgeAdd, refuseUnseenPlan, wireProject, type Scopes } from '../projects/projects.ts'
import { indexTask } from './add.ts'
import { checkBody, checkTitle } from './checks.ts'
import { blockersIn, dependOn, holdBlockers, refuseCircle } from './edges.ts'
import { taskTransition } from './events.ts'
import { countForDependents, lockGraph } from './graph.ts'
import { judged, refuseHeld, refuseStaleToken } from './holder.ts'
import * as store from './store.ts'
import { isFinished, type Task, type TaskStatus } from './task.ts'

export interface TaskPatch {
  status?: TaskStatus | undefined
  title?: string | undefined
  body?: string | undefined
  /** '' is the global scope. */
  project?: string | undefined
  add_depends_on?: string[] | undefined
}

/** Changes the given fields, all or none. Refuses while another holds a live claim. */
export async function updateTask(
  kernel: Kernel,
  scopes: Pick<Scopes, 'actor' | 'reach' | 'write'>,
  id: string,
  patch: TaskPatch,
  token: string | undefined,
): Promise<{ task: Task; readable: boolean }> {
  const { actor: by, reach: scope } = scopes
  if (Object.values(patch).every((value) => value === undefined)) {
    throw invalid('nothing to change: pass status, title, body, project or add_depends_on')
  }
  const title = patch.title === undefined ? undefined : checkTitle(patch.title)
  if (patch.body !== undefined) checkBody(patch.body)
  const blockers = blockersIn(patch.add_depends_on, 'add_depends_on')

  const mine = (found: store.Standing | undefined): store.Standing => {
    const task = judged(scope, found, id)
    refuseStaleToken(task, token)
    refuseHeld(task, by)
    return task
  }
  // A refused change must not register a project or wait for the graph.
  const far = patch.project !== undefined || blockers.length > 0
  const found = far ? mine(await store.findStanding(kernel.db, id, scope)) : undefined
  if (patch.project !== undefined && blockers.length > 0) {
    await holdBlockers(kernel, scope, blockers)
    await refuseCircle(kernel.db, id, blockers)
  }
  const to = found && (await destination(scopes, found.project, patch.project))

  return inTransaction(kernel, async (kernel) => {
    const { db } = kernel
    if (blockers.length > 0) await lockGraph(db)
    const held = await holdBlockers(kernel, scope, blockers)
    const before = mine(await store.lockStanding(db, id, scope))
    const moves = to !== undefined && to !== before.project
    const readable = !moves || (await judgeAdd(db, scope, to))
    if (!readable && before.plan !== '') refuseUnseenPlan({ project: to! })
    const edges = await dependOn(kernel, id, held)

    // Behind a fence its holder would neither end it nor let go of it.
    const isLeft = !readable && before.status === 'in_progress'
    const asked = isLeft && !isFinished(patch.status ?? 'open') ? 'open' : patch.status
    const status = asked === before.status ? undefined : asked
    const fields = {
      ...(title !== undefined && { title }),
      ...(patch.body !== undefined && { body: patch.body }),
      ...(moves && { project: to }),
      ...(status && { status }),
    }
    const task = await store.patchTask(db, id, fields, edges)
    if (moves || task.title !== before.title || task.body !== before.body) {
      await indexTask(kernel, task)
    }
    if (status) {
      const { plan, project } = task
      await follow(kernel, before, status)
      await record(kernel, taskTransition, {
        by,
        project,
        item: id,
        payload: { from: before.status, to: status, ...(plan && { plan_slug: plan }) },
      })
    }
    return { task, readable }
  })
}

/** The tasks that wait for this one wait no more, or wait again. */
async function follow(
  { db }: Kernel,
  { id, status: from }: store.Standing,
  to: TaskStatus,
): Promise<void> {
  if (isFinished(from) === isFinished(to)) return
  await countForDependents(db, id, isFinished(to) ? -1 : 1)
}

/** Where a move goes, judged and registered; undefined when nothing moves. */
async function destination(
  scopes: Pick<Scopes, 'write'>,
  from: string,
  asked: string | undefined,
): Promise<string | undefined> {
  if (asked === undefined || asked === from) return undefined
  return scopes.write(wireProject(asked))
}
