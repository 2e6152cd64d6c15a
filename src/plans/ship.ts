import { findFeatures } from '../features/features.ts'
import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { latch } from '../kernel/moments.ts'
import { planShipped } from './events.ts'
import * as store from './store.ts'

/**
 * Records the end of a plan, once ever: no step is left and at least one was done. Only while momentum is
 * on. Call it in the transaction that closed a step.
 */
export async function shipPlan(
  kernel: Kernel,
  by: Actor,
  project: string,
  plan: string,
): Promise<void> {
  const { db } = kernel
  const { momentum } = await findFeatures(kernel)
  if (!momentum) return
  await store.lockPlan(db, project, plan)
  const { steps, left, done } = await store.countSteps(db, project, plan)
  if (left > 0 || done === 0) return
  const event = newId(kernel.clock.now())
  const kind = planShipped.name
  if (!(await latch(db, { kind, project, item: plan, event }))) return
  const payload = { plan, project, steps }
  await record(kernel, planShipped, { id: event, by, project, item: plan, payload })
}
