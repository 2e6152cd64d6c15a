/** One task: what it says, who holds it, what it waits for, and what waits for it. */
import { overlappingClaims, taskTransition } from '../../tasks/tasks.ts'
import { historyOf } from '../history.ts'
import type { ScreenApp } from '../screen.ts'
import { calledSessions } from '../sessions/called.ts'
import { listed } from './list.ts'
import { blockersOf, readBody, readTasks, waitingFor } from './queries.ts'

/** Returns undefined when there is no task with this id. */
export async function taskOf({ kernel, owner }: ScreenApp, id: string) {
  const { db } = kernel
  const [tasks, body, blockers, blocks, history] = await Promise.all([
    readTasks(db, owner, [id]),
    readBody(db, owner, id),
    blockersOf(db, owner, [id], { unfinished: false }),
    waitingFor(db, owner, id),
    historyOf(db, owner, id, [taskTransition]),
  ])
  const row = tasks.get(id)
  if (!row || body === undefined) return undefined
  const task = listed(row)
  const { paths, project } = row
  const others = task.claim_live ? await overlappingClaims(kernel, { id, project, paths }) : []
  const called = await calledSessions(
    db,
    owner,
    others.map(({ claimed_by }) => claimed_by),
  )
  const { blockers: _, ...shown } = task
  return {
    ...shown,
    body,
    deps: (blockers.get(id) ?? []).map(({ id, title, status }) => ({ id, title, status })),
    deps_total: row.deps,
    blocks: blocks.map(({ id, title, status }) => ({ id, title, status })),
    overlaps: others.map(({ id, title, claimed_by, paths }) => ({
      ...{ id, title, paths, holder_id: claimed_by },
      called: called.get(claimed_by)?.called ?? claimed_by,
    })),
    history,
  }
}
