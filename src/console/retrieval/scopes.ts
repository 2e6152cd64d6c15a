/** How much of what is known reaches agents: by project, by kind, and from what is there to what is asked for. */
import { percentOf } from '../figures.ts'
import { lengthOf } from './charts.ts'
import type { ScopeRow } from './queries.ts'

const sum = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((total, row) => total + of(row), 0)

const NUMBERS = [
  'active',
  'surfaced',
  'surfaced_before',
  'briefed',
  'demanded',
  'asked',
  'injections',
  'wasted',
  'created',
  'retired',
] as const
export type Sums = Record<(typeof NUMBERS)[number], number>

export const sumsOf = (rows: readonly ScopeRow[]): Sums =>
  Object.fromEntries(NUMBERS.map((name) => [name, sum(rows, (row) => row[name])])) as Sums

/** Of every project that has active memories: the global scope first, then where most is known. */
export function projectsOf(rows: readonly ScopeRow[]) {
  return [...Map.groupBy(rows, ({ project }) => project)]
    .map(([project, own]) => ({ project, ...sumsOf(own) }))
    .filter(({ active }) => active > 0)
    .toSorted(
      (a, b) =>
        Number(b.project === '') - Number(a.project === '') ||
        b.active - a.active ||
        b.surfaced - a.surfaced ||
        (a.project < b.project ? -1 : 1),
    )
    .map(({ project, surfaced, active, injections, created, retired }) => ({
      ...{ project, surfaced, active, reach_rate: percentOf(surfaced, active) ?? 0 },
      ...{ injects: injections, created, retired },
    }))
}

/** What was shown of each kind, the most first. */
export function kindsOf(rows: readonly ScopeRow[]) {
  return [...Map.groupBy(rows, ({ kind }) => kind)]
    .map(([kind, own]) => ({ kind, ...sumsOf(own) }))
    .filter(({ active }) => active > 0)
    .toSorted((a, b) => b.injections - a.injections || (a.kind < b.kind ? -1 : 1))
    .map(({ kind, injections, surfaced }) => ({ kind, injects: injections, memories: surfaced }))
}

export const drawnKinds = (rows: readonly ScopeRow[]) => {
  const kinds = kindsOf(rows)
  const most = Math.max(0, ...kinds.map(({ injects }) => injects))
  return kinds.map((kind) => ({ ...kind, length: lengthOf(kind.injects, most) }))
}

/** From what is known to what is asked for: each step in memories, and its share of all. */
export function stepsOf({ active, surfaced, briefed, asked }: Sums) {
  const steps = [
    { name: 'active', label: 'Active', n: active, says: 'all that agents may be told' },
    { name: 'shown', label: 'Shown', n: surfaced, says: 'put before an agent, asked for or not' },
    {
      name: 'briefed',
      label: 'At a start',
      n: briefed,
      says: 'among what a session was given first',
    },
    { name: 'asked', label: 'Asked for', n: asked, says: 'found, matched by a prompt, or read' },
  ]
  return steps.map((step) => ({
    ...step,
    length: lengthOf(step.n, active),
    share: percentOf(step.n, active),
  }))
}
