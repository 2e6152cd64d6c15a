import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** The owner switched features, or returned the choice to the configuration. */
export const featuresChanged = defineEvent(
  'settings.features_changed',
  Type.Object({
    /** The stored choices after the change, if any is left. */
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
