import { harvest } from '../sessions/sessions.ts'
import { sessionOf, SHORT, type Hook } from './hook.ts'

/** A turn is over. Codex tells of no end, so each turn tells how far its session is. */
export const stop: Hook = {
  name: 'stop',
  does: 'tells that the session is alive; of Codex also its findings and tokens',
  event: 'Stop',
  deadline: SHORT,
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
