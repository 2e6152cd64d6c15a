import Type, { type Static } from 'typebox'
import { wireTime } from '../kernel/clock.ts'
import { wireProject } from '../projects/projects.ts'
import { cut } from '../text/text.ts'
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

/** A trial of a list: of what is long its beginning. */
export const Listed = Type.Object({
  ...Shown.properties,
  cut: Type.Optional(
    Type.Literal(true, { description: 'there is more: trial_query with its id tells all' }),
  ),
})

/** Code points of each text that a list shows, and of metrics as JSON: longer ones are left out. */
const LISTED = 1_000

export function showListed(trial: Trial): Static<typeof Listed> {
  const { changes, expected, actual, metrics } = trial
  const listed = {
    changes: cut(changes, LISTED),
    expected: cut(expected, LISTED),
    actual: cut(actual, LISTED),
    metrics: JSON.stringify(metrics).length > LISTED ? {} : metrics,
  }
  const isCut =
    listed.changes !== changes ||
    listed.expected !== expected ||
    listed.actual !== actual ||
    listed.metrics !== metrics
  return { ...showTrial({ ...trial, ...listed }), ...(isCut && { cut: true as const }) }
}
