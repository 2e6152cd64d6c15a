import type { Static, TSchema } from 'typebox'
import type { Draft, EventKind } from '../../src/kernel/event-kind.ts'
import { record as recordAlone } from '../../src/kernel/events.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { tellStatistics } from '../../src/usage/usage.ts'

/** Records an act, and has the statistics told of it at once, unless its transaction goes on. */
export async function record<Payload extends TSchema>(
  kernel: Kernel,
  kind: EventKind<Payload>,
  draft: Draft<Static<Payload>>,
): Promise<string> {
  const id = await recordAlone(kernel, kind, draft)
  if (!kernel.db.isTransaction) await tellStatistics(kernel.db)
  return id
}
