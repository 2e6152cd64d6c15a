/**
 * Demand: which items agents ask for, and how much.
 *
 * This file is the room's door. Nobody calls it to be counted: the log is the one way in. Whoever
 * records `memory.read` or `note.read` with the item, or `retrieval.injected` with `item_ids`, has
 * credited them in the same transaction (sql/migrations/0013_demand.sql): a read counts 3, a hit of
 * recall (`source: 'recall'`) 1.5, a match of a prompt (`hook: 'user-prompt-submit'`) 1, each once in
 * a session, halving in 14 days. Every other injection is exposure and counts nothing.
 *
 * In SQL `utility(stats)` of an item_stats row answers from 0 to below 1; of no row (a left join) 0.
 */
export { armUtility, forceUtility, utilityReadiness, type Readiness } from './readiness.ts'
export { rebuildDemand } from './store.ts'
