/** One lab: how its outcomes divide, who tried in it, and its trials beside each other. */
import type { ScreenApp } from '../screen.ts'
import { percentOf } from '../figures.ts'
import { listed, whoRecorded, type Listed } from '../trials/list.ts'
import { listTrials, newestOf } from '../trials/queries.ts'
import { labFigure } from './figures.ts'
import { drawn, trialsHref } from './list.ts'
import { findLab, type LabRow } from './queries.ts'

/** As the product says; the trials have a view of their own. */
const HISTORY = 100
/** Figures that get a column: those that most of the trials have. */
const COLUMNS = 4

/** Returns undefined when no trial carries this name. */
export async function labOf({ kernel: { db }, owner }: ScreenApp, name: string) {
  const lab = await findLab(db, owner, name)
  if (!lab) return undefined
  const rows = await listTrials(db, owner, await newestOf(db, owner, name, HISTORY))
  const sessions = await whoRecorded({ db, owner }, rows)
  const trials = rows.map((row) => listed(row, sessions))
  const keys = columnsOf(trials)
  return {
    data: { lab, trials, more: Math.max(0, lab.trials - trials.length) },
    drawn: {
      ...drawn(lab),
      all: trialsHref({ lab: name }),
      figures: figuresOf(lab),
      columns: keys,
      rows: trials.map((trial) => ({
        ...trial,
        cells: keys.map((key) => trial.metrics?.find((metric) => metric.key === key)?.value ?? ''),
      })),
    },
  }
}

function columnsOf(trials: readonly Listed[]): string[] {
  const counts = new Map<string, number>()
  for (const { key } of trials.flatMap(({ metrics }) => metrics ?? [])) {
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, COLUMNS)
    .map(([key]) => key)
}

function figuresOf({ lab, trials, pass, sessions, projects_total }: LabRow) {
  const place = { of: lab }
  return [
    labFigure('trials', { value: trials }, place),
    labFigure('passed', { value: percentOf(pass, trials), of: `${pass} of ${trials}` }, place),
    labFigure('sessions', { value: sessions }, place),
    labFigure('projects', { value: projects_total }, place),
  ]
}
