/**
 * Plans: what an agent means to do, written down before it does it. A plan that a client's plan mode
 * makes is captured as a note, once per saving; runs of planning subagents are kept beside it.
 *
 * This file is the room's door. The notes are kept through the door of notes/, the tracking task
 * through that of tasks/; vocabulary.ts has the names and tags by which all of it is found again.
 */
export { approvePlan, capturePlan, presentPlan } from './capture.ts'
export type { Captured, PlanText } from './capture.ts'
export { planContext, type Known } from './context.ts'
export { planApproved, planCaptured, planPresented, subagentCaptured } from './events.ts'
export type { CaptureFrom } from './source.ts'
export { planOfSession } from './store.ts'
export { captureSubagent, type SubagentRun } from './subagents.ts'
export { PLAN_STATUSES, planFileName, titleOf as planTitle, type PlanStatus } from './vocabulary.ts'
