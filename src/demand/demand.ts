/**
 * Demand: which items agents ask for, and how much.
 *
 * This file is the room's door. No function here counts demand: the log is the one way in. The event
 * `memory.read` or `note.read` with its item, or `retrieval.injected` with its `item_ids`, credits them
 * within a second (sql/migrations/0059_tell_later.sql). A read counts 3, a hit of recall
 * (`source: 'recall'`) 1.5, a match of a prompt (`hook: 'user-prompt-submit'`) 1. Each counts once in a
 * session and halves in 14 days. Every other injection is exposure and counts nothing.
 *
 * In SQL `utility(stats)` of an item_stats row returns 0 to below 1; of no row (a left join) it returns 0. Recall and
 * the matches of prompts are ordered by `used(kind, id, at)` instead: reads of what had been shown in the same session.
 */
export {
  ACTIVATION,
  armUtility,
  countDemand,
  FORCES,
  forceUtility,
  GATES,
  isUtilityActive,
  unforceUtility,
  utilityReadiness,
  type Force,
  type Readiness,
} from './readiness.ts'
export { rebuildDemand } from './store.ts'
