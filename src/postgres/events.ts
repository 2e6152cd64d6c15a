import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** The clock of the database was set; what orders and expires went on by elapsed time. */
export const clockStepped = defineEvent(
  'clock.stepped',
  Type.Object({
    /** How far it was set ahead; negative: back. */
    step_ms: Type.Integer(),
    /** What is added to it since. */
    correction_ms: Type.Integer(),
  }),
  ({ step_ms: step = 0 }) =>
    `the clock was set ${step < 0 ? 'back' : 'ahead'} by ${Math.abs(step / 1000).toFixed(0)} s`,
)
