/** What the owner sees of this moment. Past every fence; looking leaves no event, and nothing reads the log through. */
import type { FeedEvent } from '../../kernel/feed.ts'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, scopeSql, type OwnerScope } from '../../projects/projects.ts'

/** An active session. */
export interface ActiveRow {
  id: string
  /** Its handle. */
  name: string
  called: string
  project: string
  external_client: string
  model: string
  favorite: boolean
  created: Date
  updated: Date
  /** Its client has ended its turn, so its silence means nothing. */
  resting: boolean
  idle: boolean
  /** Seconds since its last sign of life. */
  silent: number
  /** Seconds since its beginning. */
  seconds: number
  tokens: number
}
/** Every active session, the last one heard first. In its turn it is idle after so many minutes of silence. */
export const activeSessions = scopeSql<{ idle: number }, ActiveRow, OwnerScope>('now/agents')

/** How many of them are not idle. */
export const countLiveSessions = scopeSql<{ idle: number }, { count: number }, OwnerScope>(
  'now/live',
)

export interface ClaimRow {
  id: string
  title: string
  project: string
  plan: string
  session: string
  lease: Date
  /** Seconds until the lease ends. */
  left: number
}
export const claimsOf = scopeSql<{ sessions: readonly string[] }, ClaimRow, OwnerScope>(
  'now/claims',
)

/** An event with what its line needs. */
export type EventRow = Omit<FeedEvent, 'tx' | 'session_id'>
export interface LatestRow extends EventRow {
  session: string
  /** The newest event of all, or one of the newest outputs. */
  part: 'last' | 'output'
}
export const latestOf = scopeSql<{ sessions: readonly string[] }, LatestRow, OwnerScope>(
  'now/latest',
)

export interface PulseRow {
  at: Date
  since: Date
  /** '' stands for the events of no session. */
  session: string
  events: number
}
export const pulseRows = scopeSql<object, PulseRow, OwnerScope>('now/pulse')

/** Of one project, or of all when it is null; and so many rows at most. */
interface Shown {
  scope: string | null
  most: number
}

export interface LooseRow {
  id: string
  title: string
  project: string
  plan: string
  /** '' when nobody has claimed it. */
  holder_id: string
  /** The handle of the holder; null when there is no such session any more. */
  holder: string | null
  called: string | null
  lease: Date | null
  /** Seconds until the lease ends; below 0 since then. */
  left: number | null
  since: Date
  total: number
}
export const looseEnds = scopeSql<Shown & { live: readonly string[] }, LooseRow, OwnerScope>(
  'now/loose_ends',
)

export interface PlanRow {
  project: string
  plan: string
  total: number
  done: number
  in_flight: number
  claimable: number
  moved: Date
  /** Whether a step has changed within a day. */
  moving: boolean
  moving_total: number
  unfinished_total: number
}
export const plansInMotion = scopeSql<Shown, PlanRow, OwnerScope>('now/plans')

export interface ReadyRow {
  id: string
  title: string
  project: string
  plan: string
  created: Date
  unblocks: number
  waiting: { id: string; title: string }[]
}
export const upNext = scopeSql<Shown, ReadyRow, OwnerScope>('now/up_next')

export const newestActs = scopeSql<
  { most: number; untold: readonly string[] },
  FeedEvent,
  OwnerScope
>('now/wire')

/** How many tasks may be begun. */
export async function countReady(db: Db, owner: OwnerScope, scope: string | null): Promise<number> {
  checkOwner(owner)
  const { n } = await db
    .selectFrom('task_totals')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('ready'), eb.lit(0)).as('n'))
    .$if(scope !== null, (found) => found.where('project', '=', scope!))
    .executeTakeFirstOrThrow()
  return Number(n)
}

/** Whether there is such a project. */
export async function isKnown(db: Db, owner: OwnerScope, slug: string): Promise<boolean> {
  checkOwner(owner)
  const found = await db
    .selectFrom('projects')
    .select('slug')
    .where('slug', '=', slug)
    .executeTakeFirst()
  return found !== undefined
}

/** Some projects, in the order of their slugs. */
export async function someSlugs(db: Db, owner: OwnerScope, most: number): Promise<string[]> {
  checkOwner(owner)
  const rows = await db.selectFrom('projects').select('slug').orderBy('slug').limit(most).execute()
  return rows.map(({ slug }) => slug)
}
