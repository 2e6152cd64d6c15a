import { harvest, reportTokens } from '../sessions/sessions.ts'
import { endTheGone, sessionOf, SHORT_MS, type Hook } from './hook.ts'

/**
 * A turn is over: its session rests. Its client may be killed before it reports an end, so each turn
 * carries the state of its session. A machine that only tells which clients are gone calls this hook, too.
 */
export const stop: Hook = {
  name: 'stop',
  does: 'marks that the session’s turn is over, and records its findings and tokens',
  event: 'Stop',
  deadlineMs: SHORT_MS,
  answers: 'nothing',

  async run(kernel, call) {
    await endTheGone(kernel, call)
    const session = await sessionOf(kernel, call, 'rest')
    const { session_id: external_id, tokens } = call.payload
    // Its agent may have ended the client's own session, and go on in one that it named.
    if (tokens && !session?.ambient) {
      await reportTokens(kernel, { client: call.client, external_id }, tokens)
    }
    if (!session) return undefined
    const { findings, last_assistant_message: last, model } = call.payload
    const said = { findings: last.trim() === '' ? findings : last, model }
    await harvest(kernel, session, { ...said, ...(tokens && { tokens }) })
    return { session, project: session.project }
  },
}
