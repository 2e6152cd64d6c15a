import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { numberedSlug, slugify } from '../text/slug.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { upsertNote, type Note } from '../notes/notes.ts'
import { addTask, hasUnfinishedStep } from '../tasks/tasks.ts'
import { planApproved, planCaptured, planPresented } from './events.ts'
import { composed, iterationOf, withStatus } from './plan-note.ts'
import { checkPlan, type CaptureFrom } from './source.ts'
import * as store from './store.ts'
import { adoptAgents } from './subagents.ts'
import {
  captureName,
  captureSlug,
  planOf,
  statusOf,
  titleOf,
  type PlanStatus,
} from './vocabulary.ts'

export interface PlanText {
  /** The name of the plan's file, without .md. */
  basename: string
  text: string
}

/** A captured plan in its current state. */
export interface Captured {
  id: string
  /** The slug of the note. */
  slug: string
  title: string
  /** The slug by which steps and notes join the plan. */
  plan: string
  status: PlanStatus
  iteration: number
  /** Whether this is the first answer to the session about this plan. */
  first: boolean
  /** The task that tracks the plan, if this call made it. */
  task?: string
}

/**
 * Keeps a saved plan with one more iteration. It is a draft again, unless it was approved. Returns undefined
 * without a text.
 */
export async function capturePlan(
  kernel: Kernel,
  from: CaptureFrom,
  { basename, text }: PlanText,
): Promise<Captured | undefined> {
  if (text.trim() === '') return undefined
  checkPlan(Buffer.byteLength(text))
  const { target, by } = from
  const title = titleOf(text, basename)
  const session = await store.planOfSession(kernel.db, by.session, target.project)
  const event = newId(kernel.clock.now())

  const note = await upsertNote(kernel, by, target, {
    name: captureName(basename),
    turn: MINTING,
    async compose(before, now, db) {
      const plan = await slugOf(db, target, { basename, title, before })
      const status = before && statusOf(before.tags) === 'approved' ? 'approved' : 'draft'
      const iteration = before ? iterationOf(before) + 1 : 1
      return composed(from, basename, now, {
        before,
        title,
        content: text,
        plan,
        status,
        iteration,
      })
    },
    async act(kernel, note) {
      const waiting = session?.pending_agents ?? []
      await bindSession(kernel, from, basename, note)
      await record(kernel, planCaptured, {
        ...about(event, from, note),
        payload: {
          ...identity(from, basename, note),
          title: note.title,
          iteration: iterationOf(note),
          content: text,
          ...(waiting.length > 0 && { adopted_agents: waiting }),
        },
      })
    },
  })
  if (!note) return undefined
  // Without a session no row remembers earlier answers, so only the first iteration counts as first.
  const told = session?.basename === basename && session.plan !== ''
  const captured = describe(note, by.session === '' ? iterationOf(note) === 1 : !told)
  await adoptAgents(kernel, from, captured.plan)
  return captured
}

/** Marks a draft as presented to its owner. Any other status stays. */
export async function presentPlan(
  kernel: Kernel,
  from: CaptureFrom,
  basename: string,
): Promise<Captured | undefined> {
  const event = newId(kernel.clock.now())
  const note = await upsertNote(kernel, from.by, from.target, {
    name: captureName(basename),
    compose(before) {
      if (!before || statusOf(before.tags) !== 'draft') return undefined
      return withStatus(before, basename, 'presented')
    },
    async act(kernel, note) {
      await bindSession(kernel, from, basename, note)
      const payload = identity(from, basename, note)
      await record(kernel, planPresented, { ...about(event, from, note), payload })
    },
  })
  return note && describe(note, false)
}

/**
 * Approves a plan, with its text if there is one; without a text an existing note only changes its status.
 * Makes the task that tracks the plan, unless it has an unfinished step. A second approval changes nothing.
 * Returns undefined without a text and a note.
 */
export async function approvePlan(
  kernel: Kernel,
  from: CaptureFrom,
  { basename, text = '' }: { basename: string; text?: string },
): Promise<Captured | undefined> {
  checkPlan(Buffer.byteLength(text))
  const { target, by } = from
  const content = text.trim() === '' ? undefined : text
  const title = titleOf(content ?? '', basename)
  const event = newId(kernel.clock.now())
  let previous: Note | undefined

  const note = await upsertNote(kernel, by, target, {
    name: captureName(basename),
    turn: MINTING,
    async compose(before, now, db) {
      previous = before
      if (before && statusOf(before.tags) === 'approved') return undefined
      if (content === undefined) return before && withStatus(before, basename, 'approved')
      const plan = await slugOf(db, target, { basename, title, before })
      const iteration = before ? iterationOf(before) : 1
      return composed(from, basename, now, {
        before,
        title,
        content,
        plan,
        status: 'approved',
        iteration,
      })
    },
    async act(kernel, note) {
      await bindSession(kernel, from, basename, note)
      const { project, slug, tags } = note
      const settled = { project, plan: planOf(tags), note: slug, status: 'approved' } as const
      await store.settlePlan(kernel.db, settled)
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
  const plan = note ?? previous
  if (!plan) return undefined
  if (note) await adoptAgents(kernel, from, planOf(note.tags))
  const task = await trackPlan(kernel, from, plan, note !== undefined)
  return { ...describe(plan, false), ...(task && { task }) }
}

/** Makes one task per plan. An approved plan without any task had a first approval that was cut off. */
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
    const hasStep = now ? hasUnfinishedStep : store.hasAnyStep
    if (await hasStep(kernel.db, project, plan)) return undefined
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

/** How many plans of one title get slugs of their own in a project. */
const MAX_NAMES = 50

/** Captures of a project take turns, so that a slug which is free for one is taken by no other meanwhile. */
const MINTING = 'plan'

/** Returns the slug of a plan; of a new one by its title, numbered when another capture has that. */
async function slugOf(
  db: Db,
  { project }: CaptureFrom['target'],
  { basename, title, before }: { basename: string; title: string; before: Note | undefined },
): Promise<string> {
  const known = planOf(before?.tags ?? [])
  if (known !== '') return known
  const slug = slugify(title)
  const names = Array.from({ length: MAX_NAMES }, (_, i) =>
    i === 0 ? slug : numberedSlug(slug, i + 1),
  )
  const tags = names.map((name) => `plan:${name}`)
  const taken = await store.ownedPlans(db, project, tags, captureSlug(basename))
  return names.find((name) => !taken.has(`plan:${name}`)) ?? slug
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

const bindSession = ({ db }: Kernel, { by }: CaptureFrom, basename: string, { tags }: Note) =>
  store.putSessionPlan(db, by.session, {
    basename,
    plan: planOf(tags),
    status: statusOf(tags) ?? 'draft',
  })
