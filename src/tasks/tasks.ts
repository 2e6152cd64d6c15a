/**
 * Tasks: work that agents divide among themselves. Rows only; recall finds them by their text.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in tasks/. Who holds
 * a task is decided in claim.ts, what it waits for in edges.ts; the writer that changes an edge or finishes
 * a task also updates `waits_for`, so that a queue is read without a look at the graph.
 */
export { addTask, checkDraft, type TaskDraft } from './add.ts'
export {
  claimTask,
  forceRelease,
  releaseClaims,
  releaseTask,
  type ClaimAsked,
  type Claimed,
} from './claim.ts'
export { taskTransition } from './events.ts'
export { recount } from './graph.ts'
export { holderNames, withHolders } from './holders.ts'
export { getTask, listTasks, readyTasks, type Queue } from './lists.ts'
export { checkPaths, overlappingClaims, type Overlap } from './overlap.ts'
export { starTask } from './star.ts'
export { hasUnfinishedStep } from './store.ts'
export {
  CONTENT,
  TASK_STATUSES,
  taskFields,
  wireListed,
  wireTask,
  type Listed,
  type Task,
  type TaskStatus,
} from './task.ts'
export { updateTask, type TaskPatch } from './update.ts'
