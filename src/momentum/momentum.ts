/**
 * Momentum, an optional feature: moments that happen once ever, and what shows that work goes on. It owns no tool and
 * no screen; pages of others show it while it is switched on.
 *
 * This file is the room's door. Other rooms import only this file of momentum/. Moments follow from the log, after
 * what they tell of was committed (`follow.ts`); what passes while the feature is off is never made up for. Only the stage of a
 * project is looked at when a page shows it.
 */
export { daysAfter, isDay } from './days.ts'
export { memoryFirstReuse, milestoneReached, planShipped, stageReached } from './events.ts'
export { momentum } from './follow.ts'
export { shippedAmong } from './shipped.ts'
export { stagesOf, type Stage } from './stages.ts'
export { captureCalendar, type CaptureCalendar } from './streak.ts'
