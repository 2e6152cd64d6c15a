/** Plan mode, as clients report it: a plan is saved, presented to its owner, approved. */
import type { Kernel } from '../kernel/kernel.ts'
import { applyEdits } from '../text/edits.ts'
import { firstOccurrence } from '../text/find.ts'
import { slugify } from '../text/slug.ts'
import { hearerOf, inherited, tellNew, type Saved } from '../briefing/briefing.ts'
import { projectOf, scopeOf } from '../projects/projects.ts'
import {
  approvePlan,
  checkPlan,
  capturePlan,
  planContext,
  planFileName,
  planOfSession,
  planTitle,
  presentPlan,
  type CaptureFrom,
  type Captured,
  type Known,
} from '../plans/plans.ts'
import { related } from '../recall/recall.ts'
import type { SessionRow } from '../sessions/sessions.ts'
import { guardText } from './guard.ts'
import { homeOf, LONG_MS, sessionOf, type Call, type Hook } from './hook.ts'
import { textIn, type Payload } from './payload.ts'

export async function captureFrom(
  kernel: Kernel,
  session: SessionRow | undefined,
  call: Call,
): Promise<CaptureFrom> {
  const { client, payload } = call
  const place = await homeOf(kernel, session, call)
  return {
    by: { session: session?.id ?? '', model: payload.model || (session?.model ?? '') },
    name: session?.name ?? '',
    target: { project: place.project, scope: scopeOf(place) },
    client,
    external_id: payload.session_id,
    git_head: payload.git_head,
  }
}

/** A plan was saved, or its owner has approved it. */
export const postToolUse: Hook = {
  name: 'post-tool-use',
  does: 'captures a plan that was saved, or records that its owner approved it',
  event: 'PostToolUse',
  deadlineMs: LONG_MS,
  answers: 'maybe',

  async run(kernel, call) {
    const session = await sessionOf(kernel, call)
    if (!kernel.config.plan_capture.enabled) return { session }
    const isApproved = call.payload.tool_name === 'ExitPlanMode'
    const captured = isApproved
      ? await approve(kernel, session, call)
      : await save(kernel, session, call)
    if (!captured) return { session }
    const { plan, from } = captured
    const { project, scope } = from.target
    if (!isApproved && !plan.first) return { session, project }

    const { saved, ...known } = isApproved
      ? { hits: [] as Known['hits'], saved: undefined }
      : await relatedTo(kernel, plan, scope, call)
    const text = planContext(plan, known)
    const item_ids = known.hits.map(({ id }) => id)
    const injection = { text, ...(item_ids.length > 0 && { item_ids }) }
    return {
      session,
      project,
      injection,
      ...(saved && { saved, hearer: hearerOf(call.client, call.payload.session_id) }),
    }
  },
}

/** A plan is presented to its owner. */
export const permissionRequest: Hook = {
  name: 'permission-request',
  does: 'marks the plan as presented',
  event: 'PermissionRequest',
  deadlineMs: LONG_MS,
  answers: 'nothing',

  async run(kernel, call) {
    const session = await sessionOf(kernel, call)
    const { tool_name, tool_input } = call.payload
    if (tool_name !== 'ExitPlanMode' || !kernel.config.plan_capture.enabled) return { session }
    const basename = fileIn(kernel, tool_input) ?? (await remembered(kernel, session))
    if (!basename) return { session }
    const from = await captureFrom(kernel, session, call)
    await presentPlan(kernel, from, basename)
    return { session, project: from.target.project }
  },
}

type Done = { plan: Captured; from: CaptureFrom } | undefined

const WRITES = ['Write', 'Edit', 'MultiEdit']

async function save(kernel: Kernel, session: SessionRow | undefined, call: Call): Promise<Done> {
  const { tool_name, tool_input, plan_file_text } = call.payload
  const basename = planFileName(
    guardText(kernel, textIn(tool_input, 'file_path')),
    plan_file_text !== '',
  )
  if (!WRITES.includes(tool_name) || basename === undefined) return undefined
  const text = plan_file_text || guardText(kernel, writtenText(call.payload))
  const from = await captureFrom(kernel, session, call)
  const plan = await capturePlan(kernel, from, { basename, text })
  return plan && { plan, from }
}

/** Returns the plan's text from the tool call: what was written, or the original with the edit in it. */
function writtenText({ tool_name, tool_input, tool_response }: Payload): string {
  if (tool_name === 'Write') return textIn(tool_input, 'content')
  const before = textIn(tool_response, 'originalFile')
  const [old, now] = [textIn(tool_input, 'old_string'), textIn(tool_input, 'new_string')]
  const at = tool_name === 'Edit' ? firstOccurrence(before, old) : -1
  if (at === -1) return ''
  const everywhere = (tool_input as { replace_all?: unknown }).replace_all === true
  if (!everywhere || old === now) return before.slice(0, at) + now + before.slice(at + old.length)
  return applyEdits(before, [{ old_string: old, new_string: now, replace_all: true }], checkPlan)
}

async function approve(kernel: Kernel, session: SessionRow | undefined, call: Call): Promise<Done> {
  const text = guardText(kernel, approvedText(call.payload))
  const named =
    fileIn(kernel, call.payload.tool_response, call.payload.plan_file_text !== '') ??
    fileIn(kernel, call.payload.tool_input) ??
    (await remembered(kernel, session))
  const basename = named ?? (text.trim() === '' ? undefined : slugify(planTitle(text)))
  if (basename === undefined) {
    kernel.log.warn('a plan was approved, but its client sent neither its file nor its text')
    return undefined
  }
  const from = await captureFrom(kernel, session, call)
  const plan = await approvePlan(kernel, from, { basename, text })
  return plan && { plan, from }
}

const approvedText = ({ plan_file_text, tool_response, tool_input }: Payload): string =>
  plan_file_text || textIn(tool_response, 'plan') || textIn(tool_input, 'plan')

function fileIn(kernel: Kernel, value: unknown, isKnown = false): string | undefined {
  const paths = ['filePath', 'planFilePath'].map((name) => guardText(kernel, textIn(value, name)))
  return paths.map((path) => planFileName(path, isKnown)).find((basename) => basename !== undefined)
}

async function remembered(
  kernel: Kernel,
  session: SessionRow | undefined,
): Promise<string | undefined> {
  if (!session) return undefined
  return (await planOfSession(kernel.db, session.id, session.project))?.basename || undefined
}

const RELATED = 5

/** Returns what is known about the plan's subject. Captured pages are never injected. */
async function relatedTo(
  kernel: Kernel,
  { id, title }: Captured,
  scope: CaptureFrom['target']['scope'],
  { trouble, client, payload }: Call,
): Promise<Known & { saved?: Saved }> {
  if (!kernel.config.plan_capture.inject_related) return { hits: [] }
  try {
    const { hits, ...how } = await related(
      kernel,
      await inherited(kernel, scope),
      title,
      ['memory', 'note'],
      2 * RELATED + 1,
    )
    const notes = hits.filter(({ kind }) => kind === 'note').map((hit) => hit.id)
    const pages = await capturedPages(kernel, notes)
    const others = hits.filter((hit) => hit.id !== id && !pages.has(hit.id)).slice(0, RELATED)
    const memories = others.filter(({ kind }) => kind === 'memory')
    const offers = memories.map((hit) => ({ id: hit.id, line: `${hit.title} ${hit.description}` }))
    const hearer = hearerOf(client, payload.session_id)
    const { fresh, saved } = await tellNew(kernel.db, hearer, projectOf(scope), offers)
    const news = others.filter((hit) => hit.kind !== 'memory' || fresh.has(hit.id))
    return { ...how, hits: news, saved }
  } catch (error) {
    trouble('post-tool-use.related', error)
    return { hits: [] }
  }
}

async function capturedPages({ db }: Kernel, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('notes')
    .select('id')
    .where('id', 'in', ids)
    .where('source_url', '<>', '')
    .execute()
  return new Set(rows.map(({ id }) => id))
}
