import { forgetEnded } from './briefing/reactions.ts'
import type { Reaction } from './kernel/kernel.ts'
import { followWhileGamificationIsOn } from './gamification/reactions.ts'
import { followWhileMomentumIsOn } from './momentum/reactions.ts'
import { unbindEnded } from './mcp/reactions.ts'
import { followCaptures, followSteps } from './plans/reactions.ts'
import { releaseWhatEnded } from './tasks/reactions.ts'

/** Everything that follows from an event, in the order of the rooms. */
export const reactions: readonly Reaction[] = [
  releaseWhatEnded,
  followSteps,
  ...followCaptures,
  forgetEnded,
  followWhileMomentumIsOn,
  followWhileGamificationIsOn,
  unbindEnded,
]
