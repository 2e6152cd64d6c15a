import type { EventKind } from '../kernel/event-kind.ts'
import { defineReaction } from '../kernel/events.ts'
import type { Reaction } from '../kernel/kernel.ts'
import { taskTransition } from '../tasks/tasks.ts'
import { planApproved, planCaptured, planPresented } from './events.ts'
import { shipPlan } from './ship.ts'
import { attribute } from './store.ts'

/** Whoever moves a step has a part in its plan, and whoever closes the last one ends it. */
export const followSteps = defineReaction({
  to: taskTransition,
  concerns: ({ payload: { plan_slug: plan = '' } }) => plan !== '',
  async run(kernel, { by, project, payload: { to, plan_slug: plan = '' } }) {
    if (project === null) return
    await attribute(kernel.db, { project, plan, session: by.session })
    if (to === 'done' || to === 'dropped') await shipPlan(kernel, by, project, plan)
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

/** Whoever captures a plan, presents it or has it approved has a part in it. */
export const followCaptures: readonly Reaction[] = [
  partIn(planCaptured as unknown as EventKind),
  partIn(planPresented as unknown as EventKind),
  partIn(planApproved as unknown as EventKind),
]
