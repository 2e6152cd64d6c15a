import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { numberedSlug, slugify } from '../text/slug.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { upsertNote, type Composed, type Note } from '../notes/notes.ts'
import { addTask, hasUnfinishedStep } from '../tasks/tasks.ts'
import { planApproved, planCaptured, planPresented } from './events.ts'
import { storable, type CaptureFrom } from './source.ts'
import * as store from './store.ts'
import { adoptAgents } from './subagents.ts'
import {
  captureSlug,
  captureTags,
  planOf,
  stamp,
  statusOf,
  titleOf,
  type PlanStatus,
} from './vocabulary.ts'

export interface PlanText {
  /** Of the plan's file, without .md. */
  basename: string
  text: string
}

/** A captured plan, as it is now. */
export interface Captured {
  id: string
  /** Of the note. */
  slug: string
  title: string
  /** The slug under which steps and notes join it. */
  plan: string
  status: PlanStatus
  iteration: number
  /** Whether the session hears of this plan for the first time. */
  first: boolean
  /** The task that tracks it, when one was made now. */
  task?: string
}

/**
 * Keeps a plan that was saved: a draft again, but for an approved one, with one more iteration.
 * Undefined when there is no text. Secrets are masked: nobody looked at the text before it came.
 */
export async function capturePlan(
  kernel: Kernel,
  from: CaptureFrom,
  { basename, text }: PlanText,
): Promise<Captured | undefined> {
  if (text.trim() === '') return undefined
  const { target, by } = from
  const slug = captureSlug(basename)
  const content = storable(text)
  const title = titleOf(content, basename)
  const own = await mintPlan(kernel.db, target.project, title, slug)
  const session = await store.planOfSession(kernel.db, by.session)
  const event = newId(kernel.clock.now())

  const note = await upsertNote(kernel, by, target, {
    slug,
    compose(before, now) {
      const status = before && statusOf(before.tags) === 'approved' ? 'approved' : 'draft'
      const iteration = before ? iterationOf(before) + 1 : 1
      return composed(from, basename, now, { before, title, content, own, status, iteration })
    },
    async act(kernel, note) {
      const waiting = session?.pending_agents ?? []
      await follow(kernel, from, basename, note)
      await record(kernel, planCaptured, {
        ...about(event, from, note),
        payload: {
          ...identity(from, basename, note),
          title: note.title,
          iteration: iterationOf(note),
          content,
          ...(waiting.length > 0 && { adopted_agents: waiting }),
        },
      })
    },
  })
  if (!note) return undefined
  // Without a session nothing remembers what was said: it is said of the first iteration.
  const first = by.session === '' ? iterationOf(note) === 1 : session?.basename !== basename
  const captured = describe(note, first)
  await adoptAgents(kernel, from, captured.plan)
  return captured
}

/** The plan was put before its owner: a draft is presented now, anything else stays. */
export async function presentPlan(
  kernel: Kernel,
  from: CaptureFrom,
  basename: string,
): Promise<Captured | undefined> {
  const event = newId(kernel.clock.now())
  const note = await upsertNote(kernel, from.by, from.target, {
    slug: captureSlug(basename),
    compose(before) {
      if (!before || statusOf(before.tags) !== 'draft') return undefined
      return flipped(before, basename, 'presented')
    },
    async act(kernel, note) {
      await follow(kernel, from, basename, note)
      const payload = identity(from, basename, note)
      await record(kernel, planPresented, { ...about(event, from, note), payload })
    },
  })
  return note && describe(note, false)
}

/**
 * The plan was agreed to. Its text is taken when there is one; without one a note that stands is only
 * flipped. Makes the task that tracks it, unless somebody has a step to work on. Approving again
 * changes nothing. Undefined when there is neither a text nor a note.
 */
export async function approvePlan(
  kernel: Kernel,
  from: CaptureFrom,
  { basename, text = '' }: { basename: string; text?: string },
): Promise<Captured | undefined> {
  const { target, by } = from
  const slug = captureSlug(basename)
  const content = text.trim() === '' ? undefined : storable(text)
  const title = titleOf(content ?? '', basename)
  const own = await mintPlan(kernel.db, target.project, title, slug)
  const event = newId(kernel.clock.now())
  let stood: Note | undefined

  const note = await upsertNote(kernel, by, target, {
    slug,
    compose(before, now) {
      stood = before
      if (before && statusOf(before.tags) === 'approved') return undefined
      if (content === undefined) return before && flipped(before, basename, 'approved')
      const iteration = before ? iterationOf(before) : 1
      return composed(from, basename, now, {
        before,
        title,
        content,
        own,
        status: 'approved',
        iteration,
      })
    },
    async act(kernel, note) {
      await follow(kernel, from, basename, note)
      await record(kernel, planApproved, {
        ...about(event, from, note),
        payload: {
          ...identity(from, basename, note),
          title: note.title,
          iteration: iterationOf(note),
          ...(content !== undefined && { content }),
          ...(by.session === '' && from.name !== '' && { by: from.name }),
        },
      })
    },
  })
  const plan = note ?? stood
  if (!plan) return undefined
  if (note) await adoptAgents(kernel, from, planOf(note.tags))
  const task = await trackPlan(kernel, from, plan, note !== undefined)
  return { ...describe(plan, false), ...(task && { task }) }
}

/** One task per plan. Approved before, and no task at all: the first approval was cut off. */
async function trackPlan(
  kernel: Kernel,
  from: CaptureFrom,
  note: Note,
  now: boolean,
): Promise<string | undefined> {
  if (!kernel.config.plan_capture.auto_task) return undefined
  const { project, id, slug, title, tags } = note
  const plan = planOf(tags)
  return inTransaction(kernel, async (kernel) => {
    await store.lockCapture(kernel.db, id)
    const stands = now ? hasUnfinishedStep : store.hasAnyStep
    if (await stands(kernel.db, project, plan)) return undefined
    const task = await addTask(kernel, from.by, from.target, {
      title: `Implement plan: ${title}`,
      body:
        `The plan is the note ${slug} (notes_read id=${id}). What its planning agents found are the ` +
        `notes with the tags plan:${plan} and agent-cache. Each begins with a line that says when and ` +
        'on which commit it was written: check whether it still holds. Add steps with ' +
        `tasks_add plan=${plan}.`,
      plan,
      created_by: from.name,
    })
    return task.id
  })
}

/** How many plans of one title a project may have before they share a name. */
const NAMES = 50

/** The slug under which a new plan of this title is joined: its own, when another capture has the first. */
async function mintPlan(db: Db, project: string, title: string, noteSlug: string): Promise<string> {
  const slug = slugify(title)
  const names = Array.from({ length: NAMES }, (_, i) =>
    i === 0 ? slug : numberedSlug(slug, i + 1),
  )
  const taken = await store.ownedPlans(
    db,
    project,
    names.map((name) => `plan:${name}`),
    noteSlug,
  )
  return names.find((name) => !taken.has(`plan:${name}`)) ?? slug
}

interface Composing {
  before: Note | undefined
  title: string
  content: string
  own: string
  status: PlanStatus
  iteration: number
}

function composed(from: CaptureFrom, basename: string, now: Date, made: Composing): Composed {
  const { before, title, content, own, status, iteration } = made
  const plan = planOf(before?.tags ?? []) || own
  const parts = [from.name || 'no session', `${basename}.md`, `iter ${iteration}`]
  return {
    title,
    description: description(basename, iteration, status),
    body: `${stamp(parts, from.git_head ?? '', now)}\n\n${content}`,
    tags: captureTags(before?.tags ?? [], plan, status),
    extra: { plan_iteration: iteration },
  }
}

/** As it was, under another status. */
function flipped(before: Note, basename: string, status: PlanStatus): Composed {
  const iteration = iterationOf(before)
  return {
    title: before.title,
    description: description(basename, iteration, status),
    body: before.body,
    tags: captureTags(before.tags, planOf(before.tags) || slugify(before.title), status),
    extra: { plan_iteration: iteration },
  }
}

const description = (basename: string, iteration: number, status: PlanStatus): string =>
  `Plan ${basename}.md, iteration ${iteration}, ${status}`

function iterationOf({ extra }: Note): number {
  const said = extra['plan_iteration']
  return Number.isSafeInteger(said) && (said as number) >= 1 ? (said as number) : 1
}

function describe(note: Note, first: boolean): Captured {
  const { id, slug, title, tags } = note
  return {
    id,
    slug,
    title,
    plan: planOf(tags),
    status: statusOf(tags) ?? 'draft',
    iteration: iterationOf(note),
    first,
  }
}

const about = (id: string, { by }: CaptureFrom, note: Note) => ({
  id,
  by,
  project: note.project,
  item: note.id,
})

const identity = ({ client, external_id }: CaptureFrom, basename: string, { tags }: Note) => ({
  basename,
  plan_slug: planOf(tags),
  ...(external_id && { claude_session_id: external_id }),
  ...(client && { external_client: client }),
})

const follow = ({ db }: Kernel, { by }: CaptureFrom, basename: string, { tags }: Note) =>
  store.putSessionPlan(db, by.session, {
    basename,
    plan: planOf(tags),
    status: statusOf(tags) ?? 'draft',
  })
