/** What the overview asks. Nothing here counts the log: what a window needs is kept as it happens. */
import type { FeedEvent } from '../../kernel/feed.ts'
import type { Db } from '../../kernel/kernel.ts'
import { scopeSql, type OwnerScope } from '../../projects/projects.ts'
import type { Window } from '../windows.ts'

/** A window as the statements take it: null where there is no bound. */
export interface Bounds {
  since: Date | null
  before: Date | null
  zone: string
  /** Its buckets are hours, else days. */
  by_hour: boolean
}

const SPANS: Record<Window, { hours: number | null; days: number | null }> = {
  '24h': { hours: 24, days: null },
  '7d': { hours: null, days: 7 },
  '30d': { hours: null, days: 30 },
  all: { hours: null, days: null },
}

const bounds = scopeSql<
  (typeof SPANS)[Window],
  { since: Date | null; before: Date | null; zone: string },
  OwnerScope
>('overview/bounds')
export async function boundsOf(db: Db, owner: OwnerScope, w: Window): Promise<Bounds> {
  const [found] = await bounds(db, owner, SPANS[w])
  return { ...found!, by_hour: w === '24h' }
}

export interface ShownRow {
  injections: number
  tokens: number
  injections_before: number
  tokens_before: number
  sessions: number
  sessions_before: number
}
export const findShown = scopeSql<Bounds, ShownRow, OwnerScope>('overview/shown')

export interface ReachRow {
  project: string
  active: number
  surfaced: number
  surfaced_before: number
  stale: number
}
export const findReach = scopeSql<
  Bounds & { stale: number; project: string | null },
  ReachRow,
  OwnerScope
>('overview/reach')

interface InUnits {
  unit: 'hour' | 'day'
  zone: string
  since: Date | null
}
export interface TrendRow {
  since: Date
  label: string
  injections: number
  memories: number
  sessions: number
}
export const findTrend = scopeSql<InUnits, TrendRow, OwnerScope>('overview/trend')

export interface CoverageRow {
  /** Null: of the window before. */
  since: Date | null
  total: number
  covered: number
  findings: number
  memories: number
  notes: number
  trials: number
}
export const findCoverage = scopeSql<InUnits & { before: Date | null }, CoverageRow, OwnerScope>(
  'overview/coverage',
)

export interface Injected {
  id: string
  name: string
  project: string
  count: number
}
const mostInjected = scopeSql<
  Pick<Bounds, 'since' | 'zone'> & { most: number; look: number },
  { top: Injected[]; enough: boolean },
  OwnerScope
>('overview/most_injected')

/** The first number of candidates; it is enough unless what was shown most is not what is shown now. */
const FIRST_LOOK = 50

export async function findMostInjected(
  db: Db,
  owner: OwnerScope,
  params: Pick<Bounds, 'since' | 'zone'> & { most: number },
): Promise<Injected[]> {
  for (let look = FIRST_LOOK; ; look *= 8) {
    const [found] = await mostInjected(db, owner, { ...params, look })
    if (found!.enough) return found!.top
  }
}

export interface Standing {
  what: 'memory' | 'note' | 'session' | 'task'
  name: string
  count: number
}
export const findStanding = scopeSql<object, Standing, OwnerScope>('overview/standing')

export interface ProjectRow {
  slug: string
  last_active: Date | null
  sessions: number
  live: number
  open_tasks: number
}
export const findProjects = scopeSql<{ idle: number; most: number }, ProjectRow, OwnerScope>(
  'overview/projects',
)

export const findRecent = scopeSql<
  { most: number; untold: readonly string[] },
  Omit<FeedEvent, 'tx'>,
  OwnerScope
>('overview/recent')

export interface MishapRow {
  id: string
  ts: Date
  project: string | null
  session_id: string | null
  description: string
  harness: string
  model: string
  name: string
  total: number
}
export const findMishaps = scopeSql<{ days: number; most: number }, MishapRow, OwnerScope>(
  'overview/mishaps',
)

export interface FailingRow {
  tool: string
  times: number
  sessions: number
  at: Date
  event: string
  error: string
}
export const findFailing = scopeSql<object, FailingRow, OwnerScope>('overview/failing')

export interface UnheardRow {
  client: string
  at: Date
  sessions: number
}
export const findUnheard = scopeSql<{ idle: number }, UnheardRow, OwnerScope>('overview/unheard')

export interface HeldRow {
  id: string
  title: string
  project: string
  plan: string
  holder: string
  holder_name: string
  lapsed: boolean
  at: Date
  /** For how many seconds its holder was not heard. */
  silent: number
}
export const findHeld = scopeSql<object, HeldRow, OwnerScope>('overview/held')

export interface WaitingPlanRow {
  id: string
  title: string
  project: string
  plan: string | null
  at: Date
}
export const findWaitingPlans = scopeSql<{ days: number }, WaitingPlanRow, OwnerScope>(
  'overview/waiting_plans',
)

export interface UnreadableRow {
  path: string
  problem: string
  at: Date
}
/** One row, or none when nothing waits. */
export const findWaitingProposals = scopeSql<object, { waiting: number; since: Date }, OwnerScope>(
  'overview/waiting_proposals',
)
export const findUnreadable = scopeSql<object, UnreadableRow, OwnerScope>('overview/unreadable')
