import { followWhileOn } from '../features/features.ts'
import { gamification } from './follow.ts'

/** What passes while gamification is off sets no record. */
export const followWhileGamificationIsOn = followWhileOn(gamification)
