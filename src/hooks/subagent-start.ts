import { hearerOf, subagentBriefing, untold, type Hearer, type Told } from '../briefing/briefing.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { withoutOwnBlocks } from '../text/own-blocks.ts'
import { cutFor } from './clients.ts'
import { homeOf, sessionOf, SHORT_MS, type Hook } from './hook.ts'

/** Briefs a subagent: the constraints, and what concerns its task. For its parent it is a sign of life. */
export const subagentStart: Hook = {
  name: 'subagent-start',
  does: 'gives a subagent the constraints and what concerns its task',
  event: 'SubagentStart',
  deadlineMs: SHORT_MS,
  answers: 'context',

  async run(kernel, call) {
    const { session_id, agent_id, agent_type, cwd, spawn_prompt } = call.payload
    if ([session_id, agent_id, agent_type, cwd].includes('')) return undefined
    // The model is that of the subagent, not of its parent.
    const parent = await sessionOf(kernel, { ...call, payload: { ...call.payload, model: '' } })
    const project = await homeOf(kernel, parent, call)
    const prompt = withoutOwnBlocks(spawn_prompt)
    const hearer = hearerOf(call.client, session_id, agent_id)
    const briefing = await subagentBriefing(kernel, { project, prompt, hearer })
    const { text, items, saved } = briefing
    if (hearer) await settle(kernel, hearer, briefing, cutFor(call.client, text, 0))
    const injection = text === '' ? undefined : { text, item_ids: items.map(({ id }) => id) }
    return { session: parent, project: project.project, injection, hearer, saved }
  },
}

/** What its client cuts away did not reach the subagent. Rules are told each time, so no ledger holds them. */
async function settle(
  kernel: Kernel,
  hearer: Hearer,
  { items, shownIn }: Told,
  sent: string,
): Promise<void> {
  const shown = new Set(shownIn(sent).map(({ id }) => id))
  const lost = items.map(({ id }) => id).filter((id) => !shown.has(id))
  await untold(kernel, hearer, lost)
}
