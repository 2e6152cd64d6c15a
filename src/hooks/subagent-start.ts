import { subagentBriefing } from '../briefing/briefing.ts'
import { withoutOwnBlocks } from '../text/own-blocks.ts'
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
    const { text, items } = await subagentBriefing(kernel, { project, prompt })
    const injection = text === '' ? undefined : { text, item_ids: items.map(({ id }) => id) }
    return { session: parent, project: project.project, injection }
  },
}
