/**
 * Gamification, an optional feature: how today goes beside the week before it, the records that were set, and the
 * moments in which one is broken. It owns no tool and no screen; Now shows it while it is switched on.
 *
 * This file is the room's door. Other rooms import only this file of gamification/. Records follow from the log, after
 * what set them was committed (`follow.ts`). While the feature is off none is looked at.
 */
export { findCelebrations } from './celebrations.ts'
export { findContributions, findLately, findTape, HOT_EVENTS, type TapeRow } from './day.ts'
export { recordBroken } from './events.ts'
export { gamification } from './follow.ts'
export { findRecords, type StandingRecord } from './records.ts'
