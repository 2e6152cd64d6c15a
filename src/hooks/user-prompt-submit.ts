import { hearerOf, matchPrompt } from '../briefing/briefing.ts'
import { withoutOwnBlocks } from '../text/own-blocks.ts'
import { homeOf, endTheGone, sessionOf, SHORT_MS, type Hook } from './hook.ts'

/** Shows an agent the few memories that match the prompt of its user. */
export const userPromptSubmit: Hook = {
  name: 'user-prompt-submit',
  does: 'shows the few memories that match the prompt and that its agent was not shown yet',
  event: 'UserPromptSubmit',
  deadlineMs: SHORT_MS,
  answers: 'context',

  async run(kernel, call) {
    await endTheGone(kernel, call)
    const session = await sessionOf(kernel, call, 'prompt')
    const prompt = withoutOwnBlocks(call.payload.prompt || call.payload.user_prompt)
    if (prompt.trim() === '') return { session }
    const project = await homeOf(kernel, session, call)
    const hearer = hearerOf(call.client, call.payload.session_id, call.payload.agent_id)
    const { text, items, saved } = await matchPrompt(kernel, { project, prompt, hearer })
    const injection = text === '' ? undefined : { text, item_ids: items.map(({ id }) => id) }
    return { session, project: project.project, prompt, injection, hearer, saved }
  },
}
