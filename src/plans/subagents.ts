import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { upsertNote, type StoredNote } from '../notes/notes.ts'
import { subagentCaptured } from './events.ts'
import type { CaptureFrom } from './source.ts'
import * as store from './store.ts'
import {
  agentSlug,
  agentTags,
  agentTitle,
  isWaiting,
  joinPlan,
  planOf,
  stamp,
} from './vocabulary.ts'

/** The prompt of a subagent, and its last answer. */
export interface SubagentRun {
  agent_id: string
  agent_type: string
  prompt: string
  report: string
  /** The mode of the client at the end of the run. */
  permission_mode?: string
}

/**
 * Keeps the run of a planning subagent, so that the agent of the plan need not ask again.
 *
 * It does so only while the session plans: it has a plan on which nobody has decided, or the client is in plan mode.
 * Before the first plan the note waits for the capture. Returns undefined when it keeps nothing.
 */
export async function captureSubagent(
  kernel: Kernel,
  from: CaptureFrom,
  run: SubagentRun,
): Promise<StoredNote | undefined> {
  const { by, target } = from
  const { agent_id, agent_type: type, prompt, report } = run
  if (/[/\\]|\.\./.test(agent_id) || !/[\p{L}\p{N}]/u.test(agent_id)) return undefined
  if (run.report.trim() === '') return undefined
  const session = await store.planOfSession(kernel.db, by.session, target.project)
  const plan = session && isWaiting(session.status) ? session.plan : ''
  if (plan === '' && run.permission_mode !== 'plan') return undefined

  const slug = agentSlug(agent_id)
  const event = newId(kernel.clock.now())
  return upsertNote(kernel, by, target, {
    name: slug,
    compose(before, now) {
      const parts = [from.name || 'no session', `agent ${agent_id}`]
      const head = stamp(parts, from.git_head ?? '', now)
      const title = agentTitle(type, prompt)
      return {
        title,
        description: `Run of subagent ${type} (${agent_id}) while planning`,
        body: `${head}\n\n## Prompt\n\n${prompt.trim()}\n\n## Report\n\n${report.trim()}\n`,
        tags: agentTags(before?.tags ?? [], plan, type),
      }
    },
    async act(kernel, { id, project, tags }) {
      const joined = planOf(tags)
      if (joined === '') await store.parkAgent(kernel.db, by.session, slug)
      await record(kernel, subagentCaptured, {
        id: event,
        by,
        project,
        item: id,
        payload: {
          agent_id,
          agent_type: type,
          plan_slug: joined,
          prompt,
          content: report,
          ...(from.external_id && { claude_session_id: from.external_id }),
          ...(from.client && { external_client: from.client }),
        },
      })
    },
  })
}

/** Joins the waiting runs to the plan, unless another plan has them already. */
export async function adoptAgents(
  kernel: Kernel,
  { by, target }: CaptureFrom,
  plan: string,
): Promise<void> {
  if (by.session === '') return
  const session = await store.planOfSession(kernel.db, by.session, target.project)
  const waiting = session?.pending_agents ?? []
  if (waiting.length === 0) return
  for (const slug of waiting) {
    await upsertNote(kernel, { ...by, model: '' }, target, {
      name: slug,
      compose(before) {
        if (!before || planOf(before.tags) !== '') return undefined
        const { title, description, body, tags } = before
        return { title, description, body, tags: joinPlan(tags, plan) }
      },
    })
  }
  await store.unparkAgents(kernel.db, by.session, waiting)
}
