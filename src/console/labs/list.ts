/** The list of labs: what was tried in each, and what came of it. */
import Type, { type Static } from 'typebox'
import { parseProject, wireProject } from '../../projects/projects.ts'
import { narrowingOf } from '../narrowing.ts'
import { linkQuery, PageNumber, Text } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { projectsOf } from '../trials/queries.ts'
import { TALLIES, type Tally } from '../trials/tally.ts'
import { BASE, hrefOf, peekOf } from './address.ts'
import { PAGE_ROWS, pageOf, type LabRow } from './queries.ts'

export const List = Type.Object({ q: Text(200), project: Text(200), page: PageNumber })
export type List = Static<typeof List>

export async function listOf({ kernel: { db }, owner }: ScreenApp, query: List) {
  const { q, page } = query
  const project = query.project === '' ? null : (parseProject(query.project) ?? '')
  const [found, projects] = await Promise.all([
    pageOf(db, owner, { q, project, page }),
    projectsOf(db, owner),
  ])
  const within = query.project === '' ? {} : { project: query.project }
  return {
    ...found,
    rows: found.labs.map((lab) => drawn(lab, within)),
    page,
    more: Math.max(0, found.count - page * PAGE_ROWS),
    query: linkQuery(List, query),
    ever: projects.length > 0,
    narrowing: narrowingOf({
      base: BASE,
      schema: List,
      values: query,
      filter: { label: 'Filter labs', placeholder: 'Name of a lab' },
      menus: [
        {
          ...{ name: 'project', label: 'Project' },
          options: [
            { value: '', label: 'any' },
            ...projects.map((slug) => ({ value: wireProject(slug), label: wireProject(slug) })),
          ],
        },
      ],
    }),
  }
}

/** Of the bar that shows how the outcomes divide. */
const WIDTH = 120
const GAP = 0.5
const NARROWEST = 2
/** From what went well to what did not. */
const ALONG = ['pass', 'partial', 'inconclusive', 'other', 'fail'] as const

/** A lab as its row and its head show it. */
export function drawn(lab: LabRow, within: { project?: string } = {}) {
  const trials = trialsHref({ lab: lab.lab, ...within })
  const counted = (tally: Tally) => ({
    tally,
    n: lab[tally],
    href: `${trials}&${tally === 'other' ? 'tally' : 'outcome'}=${tally}`,
  })
  return {
    ...lab,
    href: hrefOf(lab.lab),
    peek: peekOf(lab.lab),
    trials_href: trials,
    tallies: TALLIES.map(counted),
    along: ALONG.map(counted),
    bar: stretches(ALONG.map((tally) => ({ tally, n: lab[tally] }))),
    words: TALLIES.filter((tally) => lab[tally] > 0)
      .map((tally) => `${lab[tally]} ${tally}`)
      .join(', '),
  }
}
export type DrawnLab = ReturnType<typeof drawn>

export const trialsHref = (asked: { lab: string; project?: string }): string =>
  `/console/trials?${new URLSearchParams(asked).toString()}`

/** Side by side, each as wide as its share; none that is there is too narrow to be seen. */
function stretches(parts: readonly { tally: string; n: number }[]) {
  const there = parts.filter(({ n }) => n > 0)
  const whole = there.reduce((sum, { n }) => sum + n, 0)
  const room = WIDTH - GAP * (there.length - 1) - NARROWEST * there.length
  let x = 0
  return there.map(({ tally, n }) => {
    const width = NARROWEST + (room * n) / whole
    const stretch = { tally, x: Math.round(10 * x) / 10, width: Math.round(10 * width) / 10 }
    x += width + GAP
    return stretch
  })
}
