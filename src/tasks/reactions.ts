import { defineReaction } from '../kernel/events.ts'
import { sessionEnded } from '../sessions/sessions.ts'
import { releaseClaims } from './tasks.ts'

/** Whoever is gone holds nothing. */
export const releaseWhatEnded = defineReaction({
  to: sessionEnded,
  run: async (kernel, { by }) => ({ claims_released: await releaseClaims(kernel, by.session) }),
})
