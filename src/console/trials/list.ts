/** The list of trials: one table, lab by lab, with what narrows it. */
import Type, { type Static } from 'typebox'
import { parseProject, wireProject } from '../../projects/projects.ts'
import { hrefOf as labHref } from '../labs/address.ts'
import { narrowingOf } from '../narrowing.ts'
import { linkQuery, Narrowing, PageNumber, Text } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { calledSessions, type CalledSession } from '../sessions/called.ts'
import { metricsOf } from './metrics.ts'
import {
  labsOf,
  listTrials,
  outcomesOf,
  PAGE_ROWS,
  pageOf,
  projectsOf,
  type Counted,
  type TrialRow,
} from './queries.ts'
import { OUTCOMES, TALLIES, tallyOf } from './tally.ts'

/** As long as a lab or an outcome may be, in UTF-16. */
const WORD = 400

export const List = Type.Object({
  q: Text(200),
  lab: Text(WORD),
  outcome: Text(WORD),
  tally: Narrowing(TALLIES),
  project: Text(200),
  page: PageNumber,
})
export type List = Static<typeof List>

export const BASE = '/console/trials'

export async function listOf({ kernel: { db }, owner }: ScreenApp, query: List) {
  const { q, lab, outcome, tally, page } = query
  const project = query.project === '' ? null : (parseProject(query.project) ?? '')
  const filter = { q, lab, outcome, tally, project }
  const [found, outcomes, labs, projects] = await Promise.all([
    pageOf(db, owner, { ...filter, page }),
    outcomesOf(db, owner, filter),
    labsOf(db, owner, filter),
    projectsOf(db, owner),
  ])
  const rows = await listTrials(db, owner, found.ids)
  const sessions = await whoRecorded({ db, owner }, rows)
  const groups = Map.groupBy(
    rows.map((row) => listed(row, sessions)),
    (trial) => trial.lab,
  )
  return {
    groups: [...groups].map(([name, trials]) => {
      const count = found.labs[name] ?? trials.length
      const isCut = trials.length < count && name !== lab
      return {
        ...{ lab: name, count, trials, href: labHref(name) },
        all: isCut ? BASE + linkQuery(List, { ...query, lab: name }) : null,
      }
    }),
    count: found.count,
    more: Math.max(0, found.count - page * PAGE_ROWS),
    page,
    query: linkQuery(List, query),
    ever: projects.length > 0,
    lab,
    outcome,
    narrowing: headOf(query, { outcomes, labs, projects }),
  }
}

export const whoRecorded = (
  { db, owner }: Pick<ScreenApp, 'owner'> & { db: ScreenApp['kernel']['db'] },
  rows: readonly TrialRow[],
): Promise<ReadonlyMap<string, CalledSession>> =>
  calledSessions(db, owner, [...new Set(rows.map((row) => row.session_id).filter(Boolean))])

/** A trial as lists name it. */
export function listed(row: TrialRow, sessions: ReadonlyMap<string, CalledSession>) {
  const { id, lab, title, outcome, project, favorite, metrics, session_id, created } = row
  const figures = metricsOf(metrics as object)
  return {
    ...{ id, lab, title, tally: tallyOf(outcome), favorite, created, project },
    ...(outcome !== '' && { outcome }),
    ...(figures.length > 0 && { metrics: figures }),
    session_id: session_id || null,
    session: sessions.get(session_id) ?? null,
  }
}
export type Listed = ReturnType<typeof listed>

interface Found {
  outcomes: readonly Counted[]
  labs: readonly Counted[]
  projects: readonly string[]
}

function headOf(query: List, { outcomes, labs, projects }: Found) {
  const any = { value: '', label: 'any' }
  const own = (known: readonly Counted[]) =>
    known
      .filter(({ value }) => value !== '')
      .map(({ value, count }) => ({ value, label: value, count }))
  const others = own(outcomes).filter(({ value }) => tallyOf(value) === 'other')
  const narrowing = narrowingOf({
    base: BASE,
    schema: List,
    values: query,
    filter: { label: 'Filter trials', placeholder: 'Title, lab or what was seen' },
    menus: [
      {
        ...{ name: 'outcome', label: 'Outcome' },
        options: [
          any,
          ...OUTCOMES.map((value) => ({
            ...{ value, label: value },
            count: outcomes.find((each) => each.value === value)?.count ?? 0,
          })),
          ...others,
        ],
      },
      { name: 'lab', label: 'Lab', options: [any, ...own(labs)] },
      {
        ...{ name: 'project', label: 'Project' },
        options: [
          any,
          ...projects.map((slug) => ({ value: wireProject(slug), label: wireProject(slug) })),
        ],
      },
    ],
  })
  if (!query.tally) return narrowing
  // A link of a lab's tally leads here; no menu offers it.
  const without = BASE + linkQuery(List, { ...query, tally: undefined })
  return {
    ...narrowing,
    chips: [...narrowing.chips, { label: `Counted as: ${query.tally}`, href: without }],
  }
}
