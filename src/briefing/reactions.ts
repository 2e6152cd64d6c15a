import { defineReaction } from '../kernel/events.ts'
import { sessionEnded } from '../sessions/sessions.ts'
import { forgetTold } from './briefing.ts'

/** A session that its agent ends by itself may go on: what was told stays in the agent's context. */
export const forgetEnded = defineReaction({
  to: sessionEnded,
  async run(kernel, { by, payload }) {
    const byClient = payload.ambient === true || payload.linked === true
    if (byClient && !payload.reaped) await forgetTold(kernel, by.session)
  },
})
