import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** There was more of something than ever before. One event per record and day of the owner. */
export const recordBroken = defineEvent(
  'gamification.record_broken',
  Type.Object({
    /** Which one: `tasks_day`. */
    record: Type.String(),
    /** Of what there was so much: `tasks closed in a day`. */
    label: Type.String(),
    /** How much there was when it was broken; it may go on that day. */
    n: Type.Integer(),
    /** The record of the days before. */
    prev: Type.Integer(),
  }),
  ({ n, label }) => `new record: ${(n ?? 0).toLocaleString('en')} ${label ?? ''}`,
  { severity: 'moment', feature: 'gamification' },
)
