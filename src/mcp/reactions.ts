import { defineReaction } from '../kernel/events.ts'
import { sessionEnded } from '../sessions/sessions.ts'
import { unbindSession } from './connections.ts'

/** An expired session keeps its connections, because the next call on one revives it. */
export const unbindEnded = defineReaction({
  to: sessionEnded,
  async run({ db }, { by, payload }) {
    if (!payload.reaped) await unbindSession(db, by.session)
  },
})
