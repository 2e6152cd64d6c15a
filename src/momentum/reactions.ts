import { effectiveFeatures, featuresChanged } from '../features/features.ts'
import { defineReaction } from '../kernel/events.ts'
import { follow, unfollow } from '../postgres/followers.ts'
import { momentum } from './follow.ts'

/** Momentum follows the log from the switch that turns it on to the one that turns it off, and no longer. */
export const followWhileOn = defineReaction({
  to: featuresChanged,
  async run(kernel, { payload: { features } }) {
    const { momentum: on } = effectiveFeatures(kernel.config.features, features)
    await (on ? follow(kernel, momentum) : unfollow(kernel, momentum))
  },
})
