import Type, { type Static } from 'typebox'
import type { Trial } from './store.ts'

/** A trial as agents read it. What it leaves blank is left out. */
export const Shown = Type.Object({
  id: Type.String(),
  lab: Type.String(),
  title: Type.String(),
  changes: Type.Optional(Type.String()),
  expected: Type.Optional(Type.String()),
  actual: Type.Optional(Type.String()),
  outcome: Type.Optional(Type.String()),
  metrics: Type.Optional(Type.Object({}, { additionalProperties: true })),
})

export function showTrial({ id, lab, title, metrics, ...said }: Trial): Static<typeof Shown> {
  const { changes, expected, actual, outcome } = said
  return {
    id,
    lab,
    title,
    ...(changes && { changes }),
    ...(expected && { expected }),
    ...(actual && { actual }),
    ...(outcome && { outcome }),
    ...(Object.keys(metrics).length > 0 && { metrics }),
  }
}
