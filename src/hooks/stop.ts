import { harvest } from '../sessions/sessions.ts'
import { sessionOf, SHORT_MS, type Hook } from './hook.ts'

/** A turn is over. Codex reports no end of a session, so each turn carries the state of its session. */
export const stop: Hook = {
  name: 'stop',
  does: 'marks the session as alive; with Codex also records its findings and tokens',
  event: 'Stop',
  deadlineMs: SHORT_MS,
  answers: 'nothing',

  async run(kernel, call) {
    const session = await sessionOf(kernel, call)
    if (!session || call.client !== 'codex') return { session }
    const { findings, last_assistant_message: last, tokens, model } = call.payload
    const said = { findings: last.trim() === '' ? findings : last, model }
    await harvest(kernel, session, { ...said, ...(tokens && { tokens }) })
    return { session, project: session.project }
  },
}
