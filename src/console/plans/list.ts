/** The rail of plans, phase by phase, with what narrows it. */
import Type, { type Static } from 'typebox'
import { findFeatures } from '../../features/features.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { momentum, shippedAmong } from '../../momentum/momentum.ts'
import { listPlans, MAX_LISTED, PHASES, type Composition, type Phase } from '../../plans/plans.ts'
import { parseProject, wireProject, type OwnerScope } from '../../projects/projects.ts'
import { narrowingOf } from '../narrowing.ts'
import { linkQuery, Narrowing, PageNumber, Text } from '../parameters.ts'
import type { ScreenApp } from '../screen.ts'
import { WINDOW_KEYS, WindowParameter, WINDOWS } from '../windows.ts'
import { addressOf, BASE } from './address.ts'
import { planProjects } from './queries.ts'

export const List = Type.Object({
  q: Text(200),
  project: Text(200),
  phase: Narrowing(PHASES),
  w: WindowParameter,
  page: PageNumber,
})
export type List = Static<typeof List>

/**
 * Of one plan `project` says which, where several have one of its slug; what narrows the rail beside it to a
 * project is `within`.
 */
export const One = Type.Object({ ...List.properties, within: Text(200) })

const LABELS: Record<Phase, string> = { in_progress: 'In progress', ready: 'Ready', done: 'Done' }

/** The page of the rail that the query asks for, or the one that holds a plan. */
export async function listOf({ kernel, owner }: ScreenApp, query: List, beside?: Listed) {
  const { q, w, phase } = query
  const project = query.project === '' ? undefined : (parseProject(query.project) ?? '')
  const { span } = WINDOWS[w]
  const [{ plans, counts, total, ever, page }, projects] = await Promise.all([
    listPlans(kernel, owner, {
      ...(project !== undefined && { project }),
      ...(span !== null && { since: span }),
      ...(phase && { phases: [phase] }),
      ...{ words: q, page: query.page },
      ...(beside && { beside: { project: beside.project, plan: beside.slug } }),
    }),
    planProjects(kernel.db, owner),
  ])
  const shipped = await shippedOf(kernel, owner, plans)
  const rows = plans.map((plan) => listed(plan, shipped))
  const hrefOf = ({ slug, project }: Listed) =>
    `${BASE}/${encodeURIComponent(slug)}` +
    linkQuery(One, { ...query, project: wireProject(project), within: query.project })
  const shown = phase === undefined ? total : counts[phase]
  return {
    rows,
    counts,
    total,
    ever,
    count: shown,
    groups: PHASES.map((phase) => {
      const own = rows.filter((row) => row.phase === phase)
      return {
        phase,
        label: LABELS[phase],
        plans: own.map((row) => ({ ...row, href: hrefOf(row) })),
        count: counts[phase],
        all: own.length < counts[phase] ? BASE + linkQuery(List, { ...query, phase }) : null,
      }
    }).filter(({ plans }) => plans.length > 0),
    page,
    more: Math.max(0, shown - page * MAX_LISTED),
    query: linkQuery(List, query),
    q,
    narrowed: q !== '' || query.project !== '' || phase !== undefined,
    window_label: WINDOWS[w].label,
    within: WINDOWS[w].within,
    anytime: BASE + linkQuery(List, { ...query, w: 'all' }),
    narrowing: headOf(query, counts, projects),
  }
}

/** Those of the plans that were shipped, while momentum is on. */
export async function shippedOf(
  kernel: Kernel,
  owner: OwnerScope,
  plans: readonly Composition[],
): Promise<ReadonlySet<Composition>> {
  const { momentum: on } = await findFeatures(kernel)
  if (!on) return new Set()
  await kernel.followers.caughtUp(momentum.name)
  return shippedAmong(kernel.db, owner, plans)
}

/** A plan as lists name it. */
export function listed(one: Composition, shipped: ReadonlySet<Composition> = new Set()) {
  const { steps, tokens, note, ...plan } = one
  const { basename, iteration, runs, moved, ...rest } = plan
  const whole = tokens.sessions > 0 || tokens.total > 0
  const { plan: slug, ...named } = rest
  return {
    ...{ slug, ...named },
    address: addressOf(plan),
    note_id: note?.id ?? null,
    favorite: note?.favorite ?? false,
    ...(basename !== null && { basename, iteration }),
    agents: runs,
    tasks_done: steps.done,
    tasks_open: steps.open,
    tasks_in_progress: steps.in_flight,
    tasks_claimable: steps.claimable,
    tasks_total: steps.total,
    updated: moved,
    ...(shipped.has(one) && { shipped: true as const }),
    ...(whole && {
      tokens: tokens.total,
      token_sessions: tokens.sessions,
      token_unreported: tokens.unreported,
      token_shared: tokens.shared,
    }),
  }
}
export type Listed = ReturnType<typeof listed>

function headOf(query: List, counts: Record<Phase, number>, projects: readonly string[]) {
  const any = { value: '', label: 'any' }
  return narrowingOf({
    base: BASE,
    schema: List,
    values: query,
    filter: { label: 'Filter plans', placeholder: 'Title or slug' },
    menus: [
      {
        ...{ name: 'phase', label: 'Phase' },
        options: [
          any,
          ...PHASES.map((value) => ({
            ...{ value, label: LABELS[value].toLowerCase() },
            count: counts[value],
          })),
        ],
      },
      {
        ...{ name: 'project', label: 'Project' },
        options: [
          any,
          ...projects.map((slug) => ({ value: wireProject(slug), label: wireProject(slug) })),
        ],
      },
      {
        ...{ name: 'w', label: 'Window', always: true },
        options: WINDOW_KEYS.map((value) => ({ value, label: WINDOWS[value].label })),
      },
    ],
  })
}
