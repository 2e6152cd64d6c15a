/**
 * Plans for their owner: the notes and tasks of a project that share a slug, from any author. No fence
 * applies, and reading counts as no demand and leaves no event.
 */
import { ambiguous, invalid, notFound } from '../kernel/refusal.ts'
import { NOBODY, type Kernel } from '../kernel/kernel.ts'
import { scopeAt, scopeSql, wireProject, type OwnerScope } from '../projects/projects.ts'
import { containing } from '../text/like.ts'
import { approvePlan } from './capture.ts'
import { bodyOfNote, notesOfPlan, textsOfNotes, type PlanNote } from './store.ts'
import {
  captureSlug,
  isCaptureOf,
  readStamp,
  statusOf,
  withoutStamp,
  type PlanStatus,
} from './vocabulary.ts'

/** The phase of a plan: an agent works on it, an agent could, or it is over. */
export const PHASES = ['in_progress', 'ready', 'done'] as const
export type Phase = (typeof PHASES)[number]

export interface Composition {
  /** '' is the global scope. */
  project: string
  plan: string
  /** The title of its note, or the slug without one. */
  title: string
  source: 'capture' | 'composed'
  /** The status of a captured plan. A composed plan has none. */
  status: PlanStatus | null
  phase: Phase
  /** The primary note. A plan of tasks alone has none, and therefore no star. */
  note: { id: string; slug: string; favorite: boolean } | null
  /** The name of the plan's file, without .md, and the number of saves. Only captured plans have them. */
  basename: string | null
  iteration: number | null
  /** The number of stored planning runs. */
  runs: number
  steps: { total: number; done: number; in_flight: number; open: number; claimable: number }
  /** The time of the last change to any part. */
  moved: Date
  /** The whole tokens of every session that took part. Sums over plans would count sessions twice. */
  tokens: { total: number; sessions: number; unreported: number; shared: number }
}

interface ListParams {
  project: string | null
  plan: string | null
  since: string | null
  pattern: string
  phases: readonly Phase[] | null
  most: number
  skip: number
  beside: string | null
  beside_project: string | null
}
interface ListRow {
  project: string
  /** Null in a row that counts alone. */
  plan: string | null
  note: string | null
  captured: boolean
  runs: number
  total: number
  done: number
  in_flight: number
  open: number
  claimable: number
  moved: Date
  phase: Phase
  count_in_progress: number
  count_ready: number
  count_done: number
  ever: number
  skipped: number
  note_slug: string | null
  title: string | null
  favorite: boolean
  tags: string[]
  head: string
  sessions: number
  tokens: number
  unreported: number
  shared: number
}
const list = scopeSql<ListParams, ListRow, OwnerScope>('plans/list')

/** The length of one page. */
export const MAX_LISTED = 200

export interface PlanFilter {
  /** '' is the global scope; undefined means all projects. */
  project?: string
  /** The slug. */
  plan?: string
  /** The age of the last change, at most, as an interval: '7 days'. */
  since?: string
  /** Part of a title or a slug; '' is any. */
  words?: string
  phases?: readonly Phase[]
  /** The length of one page, up to MAX_LISTED. */
  most?: number
  /** From 1 on. */
  page?: number
  /** Whatever `page` says: the one that holds this plan, and the first where the filter leaves it out. */
  beside?: { project: string; plan: string }
}

export interface Plans {
  plans: Composition[]
  /** How many match in each phase, whichever was asked for. */
  counts: Record<Phase, number>
  total: number
  /** How many match but for their age. */
  ever: number
  page: number
}

/** Returns the plans with the latest changes, and how many there are. */
export async function listPlans(
  { db }: Kernel,
  owner: OwnerScope,
  {
    project,
    plan,
    since,
    words = '',
    phases,
    most = MAX_LISTED,
    page = 1,
    beside,
  }: PlanFilter = {},
): Promise<Plans> {
  const rows = await list(db, owner, {
    project: project ?? null,
    plan: plan ?? null,
    since: since ?? null,
    pattern: words === '' ? '' : containing(words),
    phases: phases ?? null,
    most,
    skip: (page - 1) * most,
    beside: beside?.plan ?? null,
    beside_project: beside?.project ?? null,
  })
  const { count_in_progress: in_progress, count_ready: ready, count_done: done } = rows[0]!
  const { ever, skipped } = rows[0]!
  return {
    plans: rows.flatMap((row) => (row.plan === null ? [] : [compose(row, row.plan)])),
    counts: { in_progress, ready, done },
    total: in_progress + ready + done,
    ever,
    page: skipped / most + 1,
  }
}

export interface Step {
  id: string
  title: string
  status: 'open' | 'in_progress' | 'done' | 'dropped'
  favorite: boolean
  moved: Date
  /** The name of the session that works on the step, else its id. */
  holder: string | null
  /** Seconds until the lease ends. Below 0 it has lapsed. */
  lease: number | null
  /** The unfinished tasks that must be closed first. */
  waits_for: string[]
}
type StepParams = { project: string; plan: string; most: number }
const steps = scopeSql<StepParams, Step, OwnerScope>('plans/steps')

/** A plan with all its parts. */
export interface WholePlan extends Composition {
  /** The body of the primary note, without the line of its origin. */
  body: string
  /** The other notes, the oldest first. */
  attached: PlanNote[]
  list: Step[]
}

/** The steps and the notes of one plan, at most. */
const MAX_SHOWN = 500

/** Returns the plan of this slug. Refuses a slug of several projects when the caller names none. */
export async function getPlan(
  kernel: Kernel,
  owner: OwnerScope,
  plan: string,
  project?: string,
): Promise<WholePlan> {
  const { db } = kernel
  const found = await findComposition(kernel, owner, plan, project)
  const at = { project: found.project, plan, most: MAX_SHOWN }
  const primary = found.note?.id
  const [list, notes, body] = await Promise.all([
    steps(db, owner, at),
    notesOfPlan(db, owner, at),
    primary === undefined ? '' : bodyOfNote(db, owner, primary),
  ])
  const attached = notes.filter(({ id }) => id !== primary)
  return { ...found, body: withoutStamp(body), attached, list }
}

/** Returns the notes of a plan with their whole texts, for a comparison with the work. */
export async function textsOfPlan(
  kernel: Kernel,
  owner: OwnerScope,
  plan: string,
  project?: string,
): Promise<{ slug: string; body: string }[]> {
  const found = await findComposition(kernel, owner, plan, project)
  return textsOfNotes(kernel.db, owner, { project: found.project, plan, most: MAX_SHOWN })
}

async function findComposition(
  kernel: Kernel,
  owner: OwnerScope,
  plan: string,
  project: string | undefined,
): Promise<Composition> {
  const [first, ...others] = (await listPlans(kernel, owner, { project, plan })).plans
  const shown = JSON.stringify(plan.slice(0, 200))
  if (!first) {
    throw notFound(
      project === undefined ? `plan ${shown}` : `plan ${shown} in ${wireProject(project)}`,
    )
  }
  if (others.length === 0) return first
  const projects = [first, ...others].map((each) => wireProject(each.project)).sort()
  throw ambiguous(`several projects have a plan ${shown}; name one: ${projects.join(', ')}`)
}

/** The result of an owner's approval. */
export interface Approval {
  plan: string
  project: string
  status: PlanStatus
  /** The status before the approval. */
  before: PlanStatus
  /** The task that tracks the plan, if this approval made it. */
  task: string | null
}

/**
 * Approves a captured plan for its owner, as the hook of the client would. A second approval changes
 * nothing. A composed plan has nothing to approve.
 */
export async function approveComposition(
  kernel: Kernel,
  owner: OwnerScope,
  plan: string,
  project: string | undefined,
  name: string,
): Promise<Approval> {
  const found = await findComposition(kernel, owner, plan, project)
  const { basename, status: before } = found
  if (before === null || basename === null) {
    throw invalid(
      `plan ${JSON.stringify(plan)} is composed of notes and tasks; only a captured plan is approved`,
    )
  }
  const target = { project: found.project, scope: await scopeAt(kernel.db, found.project) }
  const approved = await approvePlan(kernel, { by: NOBODY, name, target }, { basename })
  if (!approved) throw notFound(`plan ${JSON.stringify(plan)}`)
  const { status, task = null } = approved
  return { plan, project: found.project, status, before, task }
}

function compose(row: ListRow, plan: string): Composition {
  const { project, runs, moved, phase } = row
  const { total, done, in_flight, open, claimable } = row
  const captured = row.captured && row.note_slug !== null
  const status = captured ? (statusOf(row.tags) ?? 'draft') : null
  return {
    project,
    plan,
    title: row.title ?? plan,
    source: captured ? 'capture' : 'composed',
    status,
    phase,
    note:
      row.note === null
        ? null
        : { id: row.note, slug: row.note_slug ?? '', favorite: row.favorite },
    ...capturedAs(captured ? row.note_slug : null, row.head),
    runs,
    steps: { total, done, in_flight, open, claimable },
    moved,
    tokens: {
      total: row.tokens,
      sessions: row.sessions,
      unreported: row.unreported,
      shared: row.shared,
    },
  }
}

/** Returns the origin from the first line of a capture, or from its slug when that line was changed. */
function capturedAs(
  slug: string | null,
  head: string,
): { basename: string | null; iteration: number | null } {
  if (slug === null) return { basename: null, iteration: null }
  const { basename = '', iteration = 1 } = readStamp(head) ?? {}
  const own = isCaptureOf(slug, basename)
  return { basename: own ? basename : slug.slice(captureSlug('').length + 1), iteration }
}
