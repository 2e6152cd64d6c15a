import { endByClient } from '../sessions/sessions.ts'
import { SHORT_MS, type Hook } from './hook.ts'

/** Completes every session of a client that has ended. */
export const sessionEnd: Hook = {
  name: 'session-end',
  does: 'completes every session with the id of the client, with findings and tokens',
  event: 'SessionEnd',
  deadlineMs: SHORT_MS,
  answers: 'nothing',

  async run(kernel, { client, payload }) {
    const { session_id: external_id, tokens, model, reason, process } = payload
    const findings = payload.findings || payload.last_assistant_message
    const said = { ...(tokens && { tokens }), findings, model, reason, process }
    await endByClient(kernel, { client, external_id, ...said })
    return undefined
  },
}
