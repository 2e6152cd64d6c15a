import { gamification } from './gamification/gamification.ts'
import { momentum } from './momentum/momentum.ts'
import type { Follower } from './postgres/followers.ts'

/** Who follows the log while the optional feature of its name is on, in the order of the rooms. */
export const followers: readonly Follower[] = [momentum, gamification]
