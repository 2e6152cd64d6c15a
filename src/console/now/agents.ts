/** Who is at work, as cards: what each carries, does, and brought forth last. */
import { wireProject, type OwnerScope } from '../../projects/projects.ts'
import type { Db } from '../../kernel/kernel.ts'
import { leftOf, spanOf } from '../durations.ts'
import { agentOf, harnessOf } from '../sessions/listed.ts'
import { actOf, lineOf, type Items } from './lines.ts'
import type { Pulse } from './pulse.ts'
import {
  activeSessions,
  claimsOf,
  countLiveSessions,
  latestOf,
  type ActiveRow,
  type ClaimRow,
  type LatestRow,
} from './queries.ts'

/** As many cards as one page shows. */
export const MOST_CARDS = 200

/** With less than this a lease is about to end. */
const URGENT_SECONDS = 5 * 60

/** After so many seconds of silence an agent is no longer hot, and then no longer warm. */
const HOT_SECONDS = 5 * 60
const WARM_SECONDS = 15 * 60

export interface AtWork {
  /** In scope, the last one heard first. */
  live: ActiveRow[]
  /** In scope: active, and silent for longer than agents are. */
  silent: ActiveRow[]
  /** Ids of all who are at work, in scope or not. */
  everybody: string[]
  /** How many are at work in each project, in the order of the slugs. */
  projects: [slug: string, live: number][]
  /** How many tasks are carried in scope, by whomever. */
  carried: number
  claims: Map<string, ClaimRow[]>
  latest: Map<string, LatestRow[]>
}

/** @param scope a project, or null for all */
export async function atWork(
  db: Db,
  owner: OwnerScope,
  scope: string | null,
  idleMinutes: number,
): Promise<AtWork> {
  const active = await activeSessions(db, owner, { idle: idleMinutes })
  const all = active.filter(({ idle }) => !idle)
  const inScope = ({ project }: ActiveRow): boolean => scope === null || project === scope
  const live = all.filter(inScope)
  const silent = active.filter((row) => row.idle && inScope(row)).slice(0, MOST_CARDS)
  const shown = live.slice(0, MOST_CARDS)
  const [claims, latest] = await Promise.all([
    claimsOf(db, owner, { sessions: [...all, ...silent].map(({ id }) => id) }),
    latestOf(db, owner, { sessions: shown.map(({ id }) => id) }),
  ])
  const everybody = new Set(all.map(({ id }) => id))
  const byProject = Map.groupBy(all, ({ project }) => project)
  return {
    live,
    silent,
    everybody: [...everybody],
    projects: [...byProject]
      .map(([slug, sessions]): [string, number] => [slug, sessions.length])
      .sort(([a], [b]) => (wireProject(a) < wireProject(b) ? -1 : 1)),
    carried: claims.filter(
      ({ session, project }) => everybody.has(session) && (scope === null || project === scope),
    ).length,
    claims: Map.groupBy(claims, ({ session }) => session),
    latest: Map.groupBy(latest, ({ session }) => session),
  }
}

const freshnessOf = (silentSeconds: number): 'hot' | 'warm' | 'quiet' =>
  silentSeconds < HOT_SECONDS ? 'hot' : silentSeconds < WARM_SECONDS ? 'warm' : 'quiet'

function aboutOf(row: ActiveRow) {
  const harness = harnessOf(row)
  return {
    id: row.id,
    name: row.name,
    called: row.called,
    project: row.project,
    ...(harness && { harness }),
    ...(row.model && { model: row.model }),
    agent: agentOf(harness, row.model),
    last_beat: row.updated,
    started: row.created,
    duration: spanOf(row.seconds),
    ...(row.tokens > 0 && { tokens: row.tokens }),
    favorite: row.favorite,
  }
}

/** A session at work. */
export function cardOf(row: ActiveRow, { claims, latest }: AtWork, pulse: Pulse, items: Items) {
  const events = latest.get(row.id) ?? []
  const last = events.find(({ part }) => part === 'last')
  const counts = pulse.of(row.id)
  return {
    ...aboutOf(row),
    fresh: freshnessOf(row.silent),
    claims: (claims.get(row.id) ?? []).map(claimed),
    // A session is called by what it claimed last, which need not be said twice.
    doing: (claims.get(row.id) ?? [])
      .map(({ title }) => title)
      .filter((title) => title !== row.called),
    ...(last && { last: { id: last.id, ts: last.ts, text: actOf(last, items) } }),
    trail: events.filter(({ part }) => part === 'output').map((event) => lineOf(event, items)),
    pulse: counts,
    events: sumOf(counts),
  }
}

/** A session of which nothing was heard for long. */
export const silentOf = (row: ActiveRow, { claims }: AtWork) => ({
  ...aboutOf(row),
  silent: spanOf(row.silent),
  /** Its turn is over, and it waits for its user. */
  resting: row.resting,
  claims: (claims.get(row.id) ?? []).map(claimed),
})

const claimed = ({ id, title, project, plan, lease, left }: ClaimRow) => ({
  id,
  title,
  project,
  ...(plan && { plan_slug: plan }),
  lease_exp: lease,
  lease_left: leftOf(left),
  ...(left < URGENT_SECONDS && { urgent: true as const }),
})

/** How many agents are at work. */
export async function countLive(db: Db, owner: OwnerScope, idleMinutes: number): Promise<number> {
  const [live] = await countLiveSessions(db, owner, { idle: idleMinutes })
  return live!.count
}

export const sumOf = (counts: readonly number[]): number =>
  counts.reduce((sum, count) => sum + count, 0)
