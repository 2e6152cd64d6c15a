import type { EventKind } from '../kernel/event-kind.ts'
import { defineReaction } from '../kernel/events.ts'
import type { Reaction } from '../kernel/kernel.ts'
import { taskTransition } from '../tasks/tasks.ts'
import { planApproved, planCaptured, planPresented } from './events.ts'
import { attribute } from './store.ts'

/** A session that moves a step takes part in its plan. */
export const followSteps = defineReaction({
  to: taskTransition,
  concerns: ({ payload: { plan_slug: plan = '' } }) => plan !== '',
  async run({ db }, { by, project, payload: { plan_slug: plan = '' } }) {
    if (project !== null) await attribute(db, { project, plan, session: by.session })
  },
})

const partIn = (to: EventKind): Reaction =>
  defineReaction({
    to,
    async run({ db }, { by, project, payload }) {
      const { plan_slug: plan } = payload as { plan_slug: string }
      if (project !== null) await attribute(db, { project, plan, session: by.session })
    },
  })

/** A session that captures, presents or has a plan approved takes part in it. */
export const followCaptures: readonly Reaction[] = [
  partIn(planCaptured as unknown as EventKind),
  partIn(planPresented as unknown as EventKind),
  partIn(planApproved as unknown as EventKind),
]
