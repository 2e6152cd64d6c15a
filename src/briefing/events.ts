import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** The owner changed what briefings hold, or whether demand orders them. */
export const briefingChanged = defineEvent(
  'settings.briefing_changed',
  Type.Object({
    /** The options that were changed, with what they are now. */
    options: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** Scopes whose force was changed: auto, on, off. '' is the global scope. */
    forces: Type.Optional(Type.Record(Type.String(), Type.String())),
    reset: Type.Optional(Type.Literal(true)),
    by: Type.String(),
  }),
  ({ options, forces = {}, reset }) => {
    if (reset) return 'gave the briefing back to the configuration'
    const words = [
      ...Object.entries(options ?? {}).map(([name, value]) => `${name} ${String(value)}`),
      ...Object.entries(forces).map(
        ([scope, force]) => `usefulness ${force} in ${scope || 'global'}`,
      ),
    ]
    return `changed the briefing: ${words.join(', ') || 'as configured'}`
  },
)
