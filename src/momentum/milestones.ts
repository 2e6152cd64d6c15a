import { wireTime } from '../kernel/clock.ts'
import { NOBODY, type Kernel } from '../kernel/kernel.ts'
import { actorOf, mint } from '../kernel/moments.ts'
import type { FollowedPage } from '../postgres/followers.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { wireProject } from '../projects/projects.ts'
import type { Counted, What } from './counts.ts'
import { milestoneReached } from './events.ts'

type Said = Record<string, unknown>

interface Milestone {
  what: What
  /** Which ones of a project are milestones. */
  at: readonly number[]
  /** Without the project, which stands behind it. */
  key(nth: number): string
  claim(project: string, nth: number, said: Said): string
  /** What of the event goes along. */
  payload(nth: number, said: Said): object
}

const MILESTONES: readonly Milestone[] = [
  {
    what: 'memories',
    at: [100, 500, 1_000],
    key: (nth) => `memories-${nth}`,
    claim: (project, nth) => `the ${ordinal(nth)} memory of ${project}`,
    payload: (threshold) => ({ threshold }),
  },
  {
    what: 'recalls',
    at: [1_000],
    key: (nth) => `recalls-${nth}`,
    claim: (project, nth) => `the ${ordinal(nth)} answered recall in ${project}`,
    payload: (threshold) => ({ threshold }),
  },
  {
    what: 'supersessions',
    at: [1],
    key: () => 'first-supersession',
    claim: (project, _, { name }) => `the first supersession in ${project}: ${String(name)}`,
    payload: (_, { name }) => ({ memory: name }),
  },
  {
    what: 'plans',
    at: [1],
    key: () => 'first-plan-shipped',
    claim: (project, _, { plan }) => `the first shipped plan of ${project}: ${String(plan)}`,
    payload: (_, { plan, steps }) => ({ plan, steps }),
  },
]

const ordinal = (nth: number): string => `${nth.toLocaleString('en')}th`

/** Records each milestone that is among what was counted. */
export async function markMilestones(kernel: Kernel, counted: readonly Counted[]): Promise<void> {
  for (const { event, what, project, nth } of counted) {
    const milestone = MILESTONES.find((one) => one.what === what && one.at.includes(nth))
    if (!milestone) continue
    const named = wireProject(project)
    const { payload: said } = event
    await mint(kernel, milestoneReached, {
      by: actorOf(event),
      project,
      item: `${milestone.key(nth)}:${named}`,
      payload: {
        claim: milestone.claim(named, nth, said),
        project,
        count: nth,
        ...milestone.payload(nth, said),
      },
    })
  }
}

const birthdays = sqlFile<
  { projects: readonly string[]; since: Date },
  { project: string; registered: Date; years: number }
>('momentum/birthdays')

/** Records that a project is a year older, with the first thing that happens in it from that day on. */
export async function markBirthdays(
  kernel: Kernel,
  { events, since }: FollowedPage,
): Promise<void> {
  const projects = [...new Set(events.flatMap(({ project }) => project || []))]
  if (projects.length === 0) return
  for (const { project, registered, years } of await birthdays(kernel.db, { projects, since })) {
    await mint(kernel, milestoneReached, {
      by: NOBODY,
      project,
      item: `birthday-${years}:${project}`,
      payload: {
        claim: `${project} is ${years} ${years === 1 ? 'year' : 'years'} old`,
        project,
        years,
        registered: wireTime(registered),
      },
    })
  }
}
