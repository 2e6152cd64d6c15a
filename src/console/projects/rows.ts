/** Every project with its figures, as the board and its own page show them. */
import { findFeatures } from '../../features/features.ts'
import { stagesOf, type Stage } from '../../momentum/momentum.ts'
import { percentOf } from '../figures.ts'
import { keptAnswers } from '../kept-answers.ts'
import { boundsOf, findReach } from '../overview/queries.ts'
import type { ScreenApp } from '../screen.ts'
import type { Window } from '../windows.ts'
import { readWork, type WorkRow } from './queries.ts'
import { readScopes, roleOf, type ScopeRow } from './scopes.ts'

/** Every project, or the one of this slug; '' is the global scope. */
export async function projectRows(app: ScreenApp, w: Window, slug?: string): Promise<Row[]> {
  const { kernel, owner } = app
  const { db, config } = kernel
  const { idle_minutes: idle } = config.sessions
  const answers = keptAnswers(db)
  const reached = async () => {
    const bounds = await answers('bounds', { w }, () => boundsOf(db, owner, w))
    const project = slug ?? null
    return answers('reach of projects', { w, project }, () =>
      findReach(db, owner, { ...bounds, stale: 0, project }),
    )
  }
  const [scopes, work, reach] = await Promise.all([
    readScopes(app, slug),
    readWork(db, owner, { slug: slug ?? null, idle }),
    reached(),
  ])
  const workOf = new Map(work.map((row) => [row.slug, row]))
  const surfaced = new Map(reach.map((row) => [row.project, row.surfaced]))
  return scopes.map((row) => rowOf(row, workOf.get(row.slug), surfaced.get(row.slug) ?? 0))
}
export type Row = ReturnType<typeof rowOf>

const IDLE: Omit<WorkRow, 'slug'> = {
  ...{ notes: 0, open_tasks: 0, blocked: 0 },
  ...{ sessions: 0, working: 0, last_active: null, tokens: 0 },
}

function rowOf(scope: ScopeRow, { tokens, ...work }: Omit<WorkRow, 'slug'> = IDLE, surfaced = 0) {
  const { parent, has_children, retired, registered, ...rest } = scope
  return {
    ...rest,
    ...work,
    slug: scope.slug,
    parent_slug: parent,
    global: scope.slug === '',
    parent: has_children,
    child: parent !== null,
    retired: retired !== null,
    retired_at: retired,
    unregistered: !registered,
    /** Work waits there, or nobody registered it. */
    attention: retired === null && (work.blocked > 0 || !registered),
    role: roleOf(scope),
    tokens_total: tokens,
    ...reachOf(surfaced, scope.memories),
  }
}

/** How many of the active memories were put before an agent. */
export function reachOf(surfaced: number, active: number) {
  const rate = percentOf(surfaced, active)
  return { surfaced, active, reach_rate: rate ?? 0, has_reach: rate !== null }
}

/** The rows by what they were, each with the stage of its project while momentum is on. */
export async function withStages<One extends Row>(
  { kernel, owner }: ScreenApp,
  rows: readonly One[],
): Promise<Map<One, One & { stage?: Stage }>> {
  const { momentum } = await findFeatures(kernel)
  if (!momentum) return new Map(rows.map((row) => [row, row]))
  const stages = await stagesOf(kernel, owner, rows)
  return new Map(
    rows.map((row) => {
      const stage = stages.get(row.slug)
      return [row, stage ? { ...row, stage } : row]
    }),
  )
}
