import { hearerOf, matchPrompt } from '../briefing/briefing.ts'
import { withoutOwnBlocks } from '../text/own-blocks.ts'
import { showText } from '../text/show-text.ts'
import { homeOf, endTheGone, sessionOf, SHORT_MS, type Hook } from './hook.ts'

/** Enough of a prompt to find the line by which its session is called. */
const ASKED_CHARACTERS = 2_000

/** Shows an agent the few memories that match the prompt of its user. */
export const userPromptSubmit: Hook = {
  name: 'user-prompt-submit',
  does: 'shows the few memories that match the prompt and that its agent was not shown yet',
  event: 'UserPromptSubmit',
  deadlineMs: SHORT_MS,
  answers: 'context',

  async run(kernel, call) {
    await endTheGone(kernel, call)
    const prompt = withoutOwnBlocks(call.payload.prompt || call.payload.user_prompt)
    // The words and the model of a subagent are not those of its parent.
    const isParent = call.payload.agent_id === ''
    const asked = isParent ? showText(prompt, ASKED_CHARACTERS) : ''
    const said = isParent ? call : { ...call, payload: { ...call.payload, model: '' } }
    const session = await sessionOf(kernel, said, 'prompt', asked)
    if (prompt.trim() === '') return { session }
    const project = await homeOf(kernel, session, call)
    const hearer = hearerOf(call.client, call.payload.session_id, call.payload.agent_id)
    const { text, items, saved } = await matchPrompt(kernel, { project, prompt, hearer })
    const injection = text === '' ? undefined : { text, item_ids: items.map(({ id }) => id) }
    return { session, project: project.project, prompt, injection, hearer, saved }
  },
}
