import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** The owner switched features, or gave the choice back to the configuration. */
export const featuresChanged = defineEvent(
  'settings.features_changed',
  Type.Object({
    /** The stored choices as they are now; left out when none is stored any more. */
    features: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
    reset: Type.Optional(Type.Literal(true)),
    by: Type.String(),
  }),
  ({ features = {}, reset }) => {
    if (reset) return 'gave the features back to the configuration'
    const words = Object.entries(features).map(([name, on]) => `${name} ${on ? 'on' : 'off'}`)
    return `switched features: ${words.join(', ')}`
  },
)
