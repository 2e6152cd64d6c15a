/**
 * Plans as their owner sees them: what shares a slug in a project, whoever put it there. Past every
 * fence, and no demand: looking leaves no event.
 */
import { ambiguous, invalid, notFound } from '../kernel/refusal.ts'
import { NOBODY, type Kernel } from '../kernel/kernel.ts'
import { sqlFile } from '../postgres/sql-file.ts'
import { scopeAt, wireProject } from '../projects/projects.ts'
import { approvePlan } from './capture.ts'
import { bodyOfNote, notesOfPlan, textsOfNotes, type PlanNote } from './store.ts'
import { captureSlug, readStamp, statusOf, withoutStamp, type PlanStatus } from './vocabulary.ts'

/** Where a plan stands: somebody works on it, somebody could, or it is over. */
export const PHASES = ['in_progress', 'ready', 'done'] as const
export type Phase = (typeof PHASES)[number]

export interface Composition {
  /** '' is the global scope. */
  project: string
  plan: string
  /** Of its note; the slug when it has none. */
  title: string
  source: 'capture' | 'composed'
  /** Of a capture; a composed plan has none. */
  status: PlanStatus | null
  phase: Phase
  /** The primary note. A plan of tasks alone has none, and so no star. */
  note: { id: string; slug: string; favorite: boolean } | null
  /** Of the plan's file, without .md, and how often it was saved. Captures only. */
  basename: string | null
  iteration: number | null
  /** Planning runs that are kept beside it. */
  runs: number
  steps: { total: number; done: number; in_flight: number; open: number; claimable: number }
  /** When anything of it was touched last. */
  moved: Date
  /** Whether its end was told. */
  shipped: boolean
  /** Of every session that had a part in it, whole. Never to be summed over plans. */
  tokens: { total: number; sessions: number; unreported: number; shared: number }
}

interface ListParams {
  project: string | null
  plan: string | null
  since: string | null
  most: number
}
interface ListRow {
  project: string
  plan: string
  note: string | null
  captured: boolean
  runs: number
  total: number
  done: number
  in_flight: number
  open: number
  claimable: number
  moved: Date
  plans: number
  note_slug: string | null
  title: string | null
  favorite: boolean
  tags: string[]
  head: string
  shipped: boolean
  sessions: number
  tokens: number
  unreported: number
  shared: number
}
const list = sqlFile<ListParams, ListRow>('plans/list')

/** As many as one list shows. */
const LISTED = 200

export interface PlanFilter {
  /** '' is the global scope; undefined: all of them. */
  project?: string
  /** How lately it must have moved, as an interval: '7 days'. */
  since?: string
}

/** The plans that moved last, and how many there are. */
export async function listPlans(
  { db }: Kernel,
  { project, since }: PlanFilter = {},
): Promise<{ plans: Composition[]; total: number }> {
  const rows = await list(db, {
    project: project ?? null,
    plan: null,
    since: since ?? null,
    most: LISTED,
  })
  return { plans: rows.map(compose), total: rows[0]?.plans ?? 0 }
}

export interface Step {
  id: string
  title: string
  status: 'open' | 'in_progress' | 'done' | 'dropped'
  favorite: boolean
  moved: Date
  /** The name of the session that works on it, else its id. */
  holder: string | null
  /** Seconds until its lease runs out; below 0 it has. */
  lease: number | null
  /** Unfinished tasks that come first. */
  waits_for: string[]
}
const steps = sqlFile<{ project: string; plan: string; most: number }, Step>('plans/steps')

/** A plan with all that belongs to it. */
export interface WholePlan extends Composition {
  /** Of the primary note, without the line that says where it comes from. */
  body: string
  /** The notes but for the primary one, the oldest first. */
  attached: PlanNote[]
  list: Step[]
}

/** As many steps and notes as one plan shows. */
const SHOWN = 500

/** The plan of this slug. Refuses a slug that several projects use when none of them is named. */
export async function getPlan(kernel: Kernel, plan: string, project?: string): Promise<WholePlan> {
  const { db } = kernel
  const found = await findComposition(kernel, plan, project)
  const at = { project: found.project, plan, most: SHOWN }
  const primary = found.note?.id
  const [list, notes, body] = await Promise.all([
    steps(db, at),
    notesOfPlan(db, at),
    primary === undefined ? '' : bodyOfNote(db, primary),
  ])
  const attached = notes.filter(({ id }) => id !== primary)
  return { ...found, body: withoutStamp(body), attached, list }
}

/** The notes of a plan with their whole texts, to be held against the work they are about. */
export async function textsOfPlan(
  kernel: Kernel,
  plan: string,
  project?: string,
): Promise<{ slug: string; body: string }[]> {
  const found = await findComposition(kernel, plan, project)
  return textsOfNotes(kernel.db, { project: found.project, plan, most: SHOWN })
}

async function findComposition(
  { db }: Kernel,
  plan: string,
  project: string | undefined,
): Promise<Composition> {
  const where = { project: project ?? null, plan, since: null, most: LISTED }
  const [first, ...others] = (await list(db, where)).map(compose)
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

/** What an owner's approval has come to. */
export interface Approval {
  plan: string
  project: string
  status: PlanStatus
  /** Its status until now. */
  before: PlanStatus
  /** The task that tracks it, when one was made now. */
  task: string | null
}

/**
 * The owner agrees to a captured plan, as the client's hook would have told. Approving again changes
 * nothing; a composed plan has nothing to approve.
 */
export async function approveComposition(
  kernel: Kernel,
  plan: string,
  project: string | undefined,
  name: string,
): Promise<Approval> {
  const found = await findComposition(kernel, plan, project)
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

function compose(row: ListRow): Composition {
  const { project, plan, runs, moved, shipped } = row
  const { total, done, in_flight, open, claimable } = row
  const captured = row.captured && row.note_slug !== null
  const status = captured ? (statusOf(row.tags) ?? 'draft') : null
  return {
    project,
    plan,
    title: row.title ?? plan,
    source: captured ? 'capture' : 'composed',
    status,
    phase: phaseOf(status, row),
    note:
      row.note === null
        ? null
        : { id: row.note, slug: row.note_slug ?? '', favorite: row.favorite },
    ...capturedAs(captured ? row.note_slug : null, row.head),
    runs,
    steps: { total, done, in_flight, open, claimable },
    moved,
    shipped,
    tokens: {
      total: row.tokens,
      sessions: row.sessions,
      unreported: row.unreported,
      shared: row.shared,
    },
  }
}

const OVER: readonly (PlanStatus | null)[] = ['abandoned', 'shipped', 'merged']

function phaseOf(status: PlanStatus | null, { total, in_flight, open }: ListRow): Phase {
  if (in_flight > 0) return 'in_progress'
  return OVER.includes(status) || (total > 0 && open === 0) ? 'done' : 'ready'
}

/** What the first line of a capture says, unless it was written over; else what its slug tells. */
function capturedAs(
  slug: string | null,
  head: string,
): { basename: string | null; iteration: number | null } {
  if (slug === null) return { basename: null, iteration: null }
  const { basename = '', iteration = 1 } = readStamp(head) ?? {}
  const own = basename !== '' && captureSlug(basename) === slug
  return { basename: own ? basename : slug.slice(captureSlug('').length + 1), iteration }
}
