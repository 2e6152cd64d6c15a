/** What is to be done in one project: each plan that is not over with its steps, and the tasks of no plan. */
import { once } from '../../kernel/once.ts'
import { listPlans } from '../../plans/plans.ts'
import { listed as listedPlan, shippedOf } from '../plans/list.ts'
import type { ScreenApp } from '../screen.ts'
import { calledSessions, type CalledSession } from '../sessions/called.ts'
import { List as Tasks, listed as listedTask, listOf as tasksOf } from '../tasks/list.ts'
import { readTasks } from '../tasks/queries.ts'
import {
  findStale,
  readChains,
  readMoves,
  readSteps,
  readUnblocked,
  type MoveRow,
} from './steps.ts'
import type { Row } from './rows.ts'
import { heldList, hereOf, moreOf, type One, type TabView } from './tabs.ts'

/** Of plans that are not over so many have a card, and of the others so many a line. */
const MOST_PLANS = 12
const MOST_OVER = 20
const MOST_MOVES = 3
/** So many closed steps stand behind the others; a longer row of them is folded. */
const UNFOLDED = 2

const tasks = heldList(Tasks, 'tasks')

export function workTab(app: ScreenApp, { slug }: Row, query: One): TabView {
  const list = once(() => tasksOf(app, tasks.read(query, slug), tasks.at(slug, query), ''))
  const plans = once(() => plansOf(app, slug))
  return {
    data: {
      plans: async () => (await plans()).cards,
      plans_more: async () => (await plans()).more,
      completed: async () => (await plans()).over,
      completed_more: async () => (await plans()).over_more,
      async listed() {
        const { buckets, counts } = await list()
        const { ready, in_progress, blocked, closed } = buckets
        return { ready, in_progress, blocked, closed, counts }
      },
      more: async () => moreOf(await list()),
    },
    only: {
      list,
      // A claim that is released leads back here.
      back: [{ name: 'next', value: hereOf(slug, query) }],
      plans_all: `/console/plans?project=${encodeURIComponent(slug)}&w=all`,
      narrowing: async () => {
        const { narrowing, count } = await list()
        return { ...narrowing, count, words: 'of no plan' }
      },
    },
  }
}

async function plansOf(app: ScreenApp, project: string) {
  const { kernel, owner } = app
  const [{ plans: shown, counts }, { plans: last }] = await Promise.all([
    listPlans(kernel, owner, { project, phases: ['in_progress', 'ready'], most: MOST_PLANS }),
    listPlans(kernel, owner, { project, phases: ['done'], most: MOST_OVER }),
  ])
  const notes = shown.flatMap(({ note }) => note?.id ?? [])
  const [shipped, steps, stale] = await Promise.all([
    shippedOf(kernel, owner, last),
    stepsOf(
      app,
      project,
      shown.map(({ plan }) => plan),
    ),
    findStale(kernel.db, owner, notes),
  ])
  return {
    cards: shown.map((plan) => ({
      ...listedPlan(plan),
      stale: stale.get(plan.note?.id ?? '') ?? null,
      ...steps(plan.plan),
    })),
    more: counts.in_progress + counts.ready - shown.length,
    over: last.map((plan) => listedPlan(plan, shipped)),
    over_more: counts.done - last.length,
  }
}

/** What is told of the steps of each of these plans. */
async function stepsOf({ kernel: { db }, owner }: ScreenApp, project: string, plans: string[]) {
  const rows = await readSteps(db, owner, { project, plans })
  const ids = rows.map(({ id }) => id)
  const open = rows.filter(({ closed }) => !closed).map(({ id }) => id)
  const [found, chains, unblocked, moves] = await Promise.all([
    readTasks(db, owner, ids),
    readChains(db, owner, open),
    readUnblocked(db, owner, open),
    readMoves(db, owner, ids),
  ])
  const actors = moves.flatMap(({ session_id }) => session_id ?? [])
  const called = await calledSessions(db, owner, actors)
  return (plan: string) => {
    const own = rows.filter((row) => row.plan === plan)
    const told = own.flatMap(({ id, closed }) => {
      const task = found.get(id)
      if (!task) return []
      const { blockers: _, ...step } = listedTask(task)
      const waiting = unblocked.get(id)
      return [
        {
          ...step,
          closed_step: closed,
          chain: (chains.get(id) ?? []).map(({ id, title, status }) => ({ id, title, status })),
          unblocks: waiting?.n ?? 0,
          unblocked: waiting?.first ?? [],
        },
      ]
    })
    const over = told.filter((step) => step.closed_step)
    const titles = new Map(told.map(({ id, title }) => [id, title]))
    return {
      steps: told.filter((step) => !step.closed_step),
      closed_steps: over,
      folded: over.length > UNFOLDED,
      moves: movesOf(
        moves.filter(({ id }) => titles.has(id)),
        titles,
        called,
      ),
    }
  }
}

/** The last ones, each step and what became of it once. */
function movesOf(
  rows: readonly MoveRow[],
  titles: ReadonlyMap<string, string>,
  called: ReadonlyMap<string, CalledSession>,
) {
  const moves = new Map<string, { id: string; title: string; verb: string } & Actor>()
  for (const row of rows) {
    const verb = verbOf(row.payload)
    const key = `${row.id} ${verb}`
    if (moves.size === MOST_MOVES || moves.has(key)) continue
    const { id, ts } = row
    const title = titles.get(id)!
    moves.set(key, { id, title, verb, ts, ...actorOf(row, title, called) })
  }
  return [...moves.values()]
}

interface Actor {
  ts?: Date
  /** `you` is the owner; '' when nobody is known. */
  actor: string
  actor_id: string | null
}

function actorOf(
  { session_id, payload }: MoveRow,
  title: string,
  called: ReadonlyMap<string, CalledSession>,
): Actor {
  if (payload.by === 'console') return { actor: 'you', actor_id: null }
  if (session_id === null) return { actor: '', actor_id: null }
  const who = called.get(session_id)
  // A session is called by the task that it carries: the sentence would say the same twice.
  const name = who?.called === title ? who.name : (who?.called ?? session_id)
  return { actor: name, actor_id: session_id }
}

function verbOf({ to, created, released, by, claimed_by, reclaimed }: MoveRow['payload']): string {
  if (created) return 'created'
  if (by === 'console' || released) return 'released'
  if (reclaimed) return 'reclaimed'
  if (claimed_by) return 'claimed'
  if (to === 'in_progress') return 'started'
  return to === 'open' ? 'reopened' : to
}
