/** How much there is, of each kind and in each state, and which projects are at work. */
import type { Db } from '../../kernel/kernel.ts'
import { MEMORY_KINDS } from '../../memories/memories.ts'
import type { OwnerScope } from '../../projects/projects.ts'
import { percentOf } from '../figures.ts'
import { figure } from './figures.ts'
import { keptAnswers } from '../kept-answers.ts'
import { countLive } from '../now/agents.ts'
import { findProjects, findStanding, type ReachRow, type Standing } from './queries.ts'

const MOST_PROJECTS = 8

/** Counts, each kind of memory and each status in its usual order. */
export async function countsOf(db: Db, owner: OwnerScope, idle: number) {
  const [rows, live] = await Promise.all([
    keptAnswers(db)('standing', {}, () => findStanding(db, owner, {})),
    countLive(db, owner, idle),
  ])
  const of = (what: Standing['what'], name = ''): number =>
    rows.find((row) => row.what === what && row.name === name)?.count ?? 0
  const kinds = rows.filter(({ what }) => what === 'memory')
  return {
    memories: kinds.reduce((sum, { count }) => sum + count, 0),
    mem_by_kind: kinds
      .map(({ name, count }) => ({ kind: name, n: count }))
      .toSorted((a, b) => rankOf(a.kind) - rankOf(b.kind)),
    notes: of('note'),
    sess_active: live,
    sess_total: of('session'),
    tasks_open: of('task', 'open'),
    tasks_in_prog: of('task', 'in_progress'),
    tasks_done: of('task', 'done'),
    tasks_dropped: of('task', 'dropped'),
    tasks_blocked: of('task', 'blocked'),
  }
}
export type CountsOfAll = Awaited<ReturnType<typeof countsOf>>

function rankOf(kind: string): number {
  const rank = (MEMORY_KINDS as readonly string[]).indexOf(kind)
  return rank < 0 ? MEMORY_KINDS.length : rank
}

export function countFigures(counts: CountsOfAll) {
  const { memories, notes, sess_total, sess_active } = counts
  const unfinished = counts.tasks_open + counts.tasks_in_prog
  return [
    figure('memories', { value: memories }),
    figure('notes', { value: notes }),
    figure('sessions', { value: sess_total, of: `${sess_active} at work` }),
    figure('tasks', {
      value: unfinished,
      of: `${counts.tasks_in_prog} in progress · ${counts.tasks_blocked} blocked`,
    }),
  ]
}

/** The projects whose agents were heard last, with how much of what they know was told. */
export async function projectsOf(
  db: Db,
  owner: OwnerScope,
  idle: number,
  reach: readonly ReachRow[],
) {
  const rows = await findProjects(db, owner, { idle, most: MOST_PROJECTS })
  return rows.map(({ slug, live, sessions, open_tasks, last_active }) => {
    const { active = 0, surfaced = 0 } = reach.find(({ project }) => project === slug) ?? {}
    const rate = percentOf(surfaced, active)
    return {
      slug,
      live,
      sessions,
      open_tasks,
      memories: active,
      reach_rate: rate ?? 0,
      has_reach: rate !== null,
      last_active,
    }
  })
}
