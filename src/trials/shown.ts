import Type, { type Static } from 'typebox'
import { wireTime } from '../kernel/clock.ts'
import { wireProject } from '../projects/projects.ts'
import type { Trial } from './store.ts'

/** A trial as agents read it. What it leaves blank is left out. */
export const Shown = Type.Object({
  id: Type.String(),
  lab: Type.String(),
  project: Type.String(),
  created: Type.String(),
  session: Type.Optional(Type.String({ description: 'name of who recorded it' })),
  title: Type.String(),
  changes: Type.Optional(Type.String()),
  expected: Type.Optional(Type.String()),
  actual: Type.Optional(Type.String()),
  outcome: Type.Optional(Type.String()),
  metrics: Type.Optional(Type.Object({}, { additionalProperties: true })),
})

export function showTrial({ id, lab, title, metrics, ...said }: Trial): Static<typeof Shown> {
  const { project, created_at, session, changes, expected, actual, outcome } = said
  return {
    id,
    lab,
    project: wireProject(project),
    created: wireTime(created_at),
    ...(session && { session }),
    title,
    ...(changes && { changes }),
    ...(expected && { expected }),
    ...(actual && { actual }),
    ...(outcome && { outcome }),
    ...(Object.keys(metrics).length > 0 && { metrics }),
  }
}
