import { captureSubagent } from '../plans/plans.ts'
import { LONG_MS, sessionOf, type Hook } from './hook.ts'
import { captureFrom } from './plan-events.ts'

/** Keeps what a planning subagent found. With Codex, which has no plan mode, it is only a sign of life. */
export const subagentStop: Hook = {
  name: 'subagent-stop',
  does: 'keeps what a planning subagent found, as a note',
  event: 'SubagentStop',
  deadlineMs: LONG_MS,
  answers: 'nothing',

  async run(kernel, call) {
    const { client, payload } = call
    const asParent = { ...call, payload: { ...payload, model: '' } }
    // A subagent in the background may outlive its parent's turn.
    const parent = await sessionOf(kernel, asParent, 'life')
    if (client === 'codex' || !kernel.config.plan_capture.enabled) return { session: parent }
    const from = await captureFrom(kernel, parent, call)
    await captureSubagent(kernel, from, {
      agent_id: payload.agent_id,
      agent_type: payload.agent_type || 'agent',
      prompt: payload.spawn_prompt,
      report: payload.report || payload.last_assistant_message,
      permission_mode: payload.permission_mode,
    })
    return { session: parent, project: from.target.project }
  },
}
