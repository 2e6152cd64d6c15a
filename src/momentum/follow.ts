import type { Kernel } from '../kernel/kernel.ts'
import type { FollowedPage, Follower } from '../postgres/followers.ts'
import { count, COUNTED, forgetCounts } from './counts.ts'
import { markBirthdays, markMilestones } from './milestones.ts'
import { markReuse } from './reuse.ts'
import { shipPlans } from './shipped.ts'

/** What momentum does when something has happened. It goes by its name in the switches of features. */
export const momentum: Follower = {
  name: 'momentum',
  kinds: [...COUNTED, 'memory.read', 'task.transition'],
  begin: ({ db }) => forgetCounts(db),
  past: { kinds: COUNTED, from: async () => new Date(0) },
  take,
}

async function take(kernel: Kernel, page: FollowedPage): Promise<void> {
  const reached = await count(kernel.db, page)
  if (page.past) return
  await shipPlans(kernel, page)
  await markReuse(kernel, page)
  await markMilestones(kernel, reached)
  await markBirthdays(kernel, page)
}
