/** One plan: its text, its steps in the order in which they can be done, and what it cost. */
import { getPlan, listPlans, type Composition, type Step } from '../../plans/plans.ts'
import { planApproved, planCaptured, planPresented } from '../../plans/plans.ts'
import { parseProject, wireProject } from '../../projects/projects.ts'
import { overlappingClaims } from '../../tasks/tasks.ts'
import { historyOf } from '../history.ts'
import type { ScreenApp } from '../screen.ts'
import { calledSessions } from '../sessions/called.ts'
import { listed as listedTask } from '../tasks/list.ts'
import { blockersOf, readTasks } from '../tasks/queries.ts'
import { gutterOf, orderOf, type Gutter } from './gutter.ts'
import { addressOf } from './address.ts'
import { listed, shippedOf } from './list.ts'

/** Claims of one plan whose paths are compared with those of others. */
const MOST_CLAIMS = 20

/** Its data and what is drawn of it. Returns undefined when no project has a plan of this slug, or the named one has none. */
export async function planOf(app: ScreenApp, slug: string, project: string) {
  const { kernel, owner } = app
  const { plans: all } = await listPlans(kernel, owner, { plan: slug })
  const wanted = parseProject(project)
  const found = project === '' ? all[0] : all.find((each) => each.project === wanted)
  if (!found) return undefined
  const whole = await getPlan(kernel, owner, slug, found.project)
  const { body, attached, list, ...plan } = whole
  const [shipped, steps, history] = await Promise.all([
    shippedOf(kernel, owner, [plan]),
    stepsOf(app, list),
    plan.note
      ? historyOf(kernel.db, owner, plan.note.id, [planCaptured, planPresented, planApproved])
      : [],
  ])
  const shown = {
    plan: listed(plan, shipped),
    body,
    body_available: plan.note !== null,
    attached: attached.map(({ id, title, slug, run, moved }) => ({
      ...{ id, title, slug, is_agent: run, updated: moved },
    })),
    tasks: steps.map(undrawn),
    history,
    others: all.filter((each) => each !== found).map(placeOf),
    can_approve: plan.status !== null && ['draft', 'presented'].includes(plan.status),
  }
  const back = [{ name: 'next', value: shown.plan.address }]
  return { shown, steps, back }
}

function undrawn<Drawn extends { lines: Gutter }>(step: Drawn): Omit<Drawn, 'lines'> {
  const { lines: _, ...rest } = step
  return rest
}

const placeOf = (each: Composition) => ({
  project: wireProject(each.project),
  href: addressOf(each),
  updated: each.moved,
})

/** The steps of a plan, each after those that it waits for. */
async function stepsOf({ kernel, owner }: ScreenApp, list: readonly Step[]) {
  const { db } = kernel
  const ids = list.map(({ id }) => id)
  const [tasks, needs] = await Promise.all([
    readTasks(db, owner, ids),
    blockersOf(db, owner, ids, { unfinished: false }),
  ])
  const within = new Set(ids)
  const needsWithin = (id: string) =>
    (needs.get(id) ?? []).map((each) => each.id).filter((each) => within.has(each))
  const order = orderOf(ids, needsWithin)
  const numbers = new Map(order.map((id, index) => [id, index + 1]))
  const lines = gutterOf(order, needsWithin)
  const rows = order.flatMap((id, index) => {
    const row = tasks.get(id)
    return row ? [{ row, index, needs: needs.get(id) ?? [] }] : []
  })
  const claims = rows.filter(({ row }) => row.status === 'in_progress').slice(0, MOST_CLAIMS)
  const overlaps = new Map(
    await Promise.all(
      claims.map(async ({ row: { id, project, paths } }) => {
        return [id, await overlappingClaims(kernel, { id, project, paths })] as const
      }),
    ),
  )
  const holders = [...overlaps.values()].flat().map(({ claimed_by }) => claimed_by)
  const called = await calledSessions(db, owner, holders)
  return rows.map(({ row, index, needs }) => ({
    ...listedTask(row),
    number: index + 1,
    needs: needs.map(({ id, title, status }) => ({
      ...{ id, title, status, number: numbers.get(id) ?? null },
      waits: status === 'open' || status === 'in_progress',
    })),
    overlaps: (overlaps.get(row.id) ?? []).map(({ id, title, claimed_by, paths }) => ({
      ...{ id, title, paths, holder_id: claimed_by },
      called: called.get(claimed_by)?.called ?? claimed_by,
    })),
    lines: lines[index]!,
  }))
}
