import { endByClient } from '../sessions/sessions.ts'
import { SHORT, type Hook } from './hook.ts'

/** The client has ended: so has every session of its id. */
export const sessionEnd: Hook = {
  name: 'session-end',
  does: 'completes every session with the id of the client, with findings and tokens',
  event: 'SessionEnd',
  deadline: SHORT,
  answers: 'nothing',

  async run(kernel, { client, payload }) {
    const { session_id: external_id, findings, tokens, model, reason } = payload
    const said = { ...(tokens && { tokens }), findings, model, reason }
    await endByClient(kernel, { client, external_id, ...said })
    return undefined
  },
}
