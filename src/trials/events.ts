import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** A trial was written down. */
export const trialRecorded = defineEvent(
  'trial.recorded',
  Type.Object({ lab: Type.String(), title: Type.String(), outcome: Type.String() }),
  ({ title, outcome }) => `recorded trial “${title ?? ''}”${outcome ? ` (${outcome})` : ''}`,
  { severity: 'write' },
)
