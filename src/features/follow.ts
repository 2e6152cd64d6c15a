import { defineReaction } from '../kernel/events.ts'
import type { Reaction } from '../kernel/kernel.ts'
import { follow, unfollow, type Follower } from '../postgres/followers.ts'
import { featuresChanged } from './events.ts'
import { effectiveFeatures } from './switches.ts'

/** The follower follows the log from the switch that turns the feature of its name on to the one that turns it off. */
export const followWhileOn = (follower: Follower): Reaction =>
  defineReaction({
    to: featuresChanged,
    async run(kernel, { payload: { features } }) {
      const on: Readonly<Record<string, boolean>> = effectiveFeatures(
        kernel.config.features,
        features,
      )
      await (on[follower.name] ? follow(kernel, follower) : unfollow(kernel, follower))
    },
  })
