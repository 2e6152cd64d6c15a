/**
 * The gardener: it proposes, people decide, and everything can be taken back.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in gardener/. A proposal is made in
 * propose.ts, decided in decide.ts and apply.ts, and taken back in undo.ts; effects/ holds what each kind does.
 */
export { applyProposal, type Applied } from './apply.ts'
export { dismissProposal, hideProposal, unhideProposal } from './decide.ts'
export { gardenerAction } from './events.ts'
export { PROPOSAL_KINDS, type ProposalKind } from './kinds.ts'
export { propose } from './propose.ts'
export { Operation } from './request/operations.ts'
export { MOST_OPERATIONS, requestCleanUps } from './request/request.ts'
export { Requested } from './request/requested.ts'
export { planSplit, type SplitAsked } from './split/split.ts'
export { applyPlan, retargetProposal, type AppliedPlan } from './plan.ts'
export { countPending, listPending, reachProposal } from './reach.ts'
export {
  readCard,
  readDecided,
  readHidden,
  readQueue,
  readRuns,
  SECTIONS,
  sectionOf,
  type Card,
  type Decided,
  type ItemNow,
  type PastRun,
  type Queue,
  type Section,
} from './reads.ts'
export { missing, type Draft, type Proposal } from './store.ts'
export { gardenAgain, passesOn, runGardener, type Run } from './run.ts'
export { undoProposal } from './undo.ts'
