import { followWhileOn } from '../features/features.ts'
import { momentum } from './follow.ts'

/** What passes while momentum is off is not followed. */
export const followWhileMomentumIsOn = followWhileOn(momentum)
