/**
 * Plans: what an agent means to do, written down before it does it. A plan that a client's plan mode
 * makes is captured as a note, once per saving; runs of planning subagents are kept beside it.
 *
 * A composed plan is nothing but the notes and tasks that share a slug.
 *
 * This file is the room's door. The notes are kept through the door of notes/, the tracking task
 * through that of tasks/; vocabulary.ts has the names and tags by which all of it is found again.
 */
export { approvePlan, capturePlan, presentPlan } from './capture.ts'
export type { Captured, PlanText } from './capture.ts'
export {
  approveComposition,
  getPlan,
  listPlans,
  textsOfPlan,
  type Approval,
  type Composition,
  type Phase,
  type PlanFilter,
  type Step,
  type WholePlan,
} from './compositions.ts'
export { planContext, type Known } from './context.ts'
export {
  planApproved,
  planCaptured,
  planPresented,
  planShipped,
  subagentCaptured,
} from './events.ts'
export { primaryNote } from './primary.ts'
export type { CaptureFrom } from './source.ts'
export { planOfSession } from './store.ts'
export { captureSubagent, type SubagentRun } from './subagents.ts'
export {
  planFileName,
  readStamp,
  titleOf as planTitle,
  type PlanStatus,
  type Stamp,
} from './vocabulary.ts'
