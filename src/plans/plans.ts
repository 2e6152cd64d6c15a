/**
 * Plans: what an agent intends, written down before the work. Each save of a plan in a client's plan mode
 * becomes an iteration of one note. Notes beside it hold the runs of planning subagents.
 *
 * A composed plan is the notes and tasks that share a slug.
 *
 * This file is the room's door. The room writes notes through the door of notes/ and the tracking task
 * through that of tasks/. vocabulary.ts holds the names and tags of a plan's parts.
 */
export { abandonPlan, takeAbandonBack } from './abandon.ts'
export { approvePlan, capturePlan, presentPlan } from './capture.ts'
export type { Captured, PlanText } from './capture.ts'
export {
  approveComposition,
  getPlan,
  listPlans,
  MAX_LISTED,
  PHASES,
  textsOfPlan,
  type Approval,
  type Composition,
  type Phase,
  type PlanFilter,
  type Step,
  type WholePlan,
} from './compositions.ts'
export { planContext, type Known } from './context.ts'
export { planApproved, planCaptured, planPresented, subagentCaptured } from './events.ts'
export { distanceOf, isNearEnd, NEAR_END_PERCENT } from './near-end.ts'
export { primaryNote } from './primary.ts'
export { checkPlan, type CaptureFrom } from './source.ts'
export { planOfSession } from './store.ts'
export { captureSubagent, type SubagentRun } from './subagents.ts'
export {
  planFileName,
  readStamp,
  titleOf as planTitle,
  type PlanStatus,
  type Stamp,
} from './vocabulary.ts'
