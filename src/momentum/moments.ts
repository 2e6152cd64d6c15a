import type { TSchema, Static } from 'typebox'
import type { Draft, EventKind } from '../kernel/event-kind.ts'
import { record } from '../kernel/events.ts'
import type { FeedEvent } from '../kernel/feed.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { latch } from '../kernel/moments.ts'

interface Once {
  /** What the moment is of, where not its project and item say that: '' for what may move to another project. */
  project?: string
  item?: string
}

/** Records a moment unless it has happened before, whenever that was. Returns whether it happened now. */
export async function mint<Payload extends TSchema>(
  kernel: Kernel,
  kind: EventKind<Payload>,
  draft: Draft<Static<Payload>> & { project: string; item: string },
  once: Once = {},
): Promise<boolean> {
  const event = newId(kernel.clock.now())
  const { project, item } = { ...draft, ...once }
  if (!(await latch(kernel.db, { kind: kind.name, project, item, event }))) return false
  await record(kernel, kind, { ...draft, id: event })
  return true
}

/** The session whose act was followed by a moment. */
export const actorOf = ({ session_id }: FeedEvent): Actor => ({
  session: session_id ?? '',
  model: '',
})
