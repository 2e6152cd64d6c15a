import { defineReaction } from '../kernel/events.ts'
import { sessionEnded } from '../sessions/sessions.ts'
import { releaseClaims } from './tasks.ts'

/** A session that ended holds no tasks. */
export const releaseWhatEnded = defineReaction({
  to: sessionEnded,
  run: async (kernel, { by }) => ({ claims_released: await releaseClaims(kernel, by.session) }),
})
