/** Moments: events that happen once ever, or once a day. Each has a row in `moments`, which lets no second one in. */
import type { Static, TSchema } from 'typebox'
import type { Actor } from './actor.ts'
import type { Draft, EventKind } from './event-kind.ts'
import { record } from './events.ts'
import type { FeedEvent } from './feed.ts'
import { newId } from './id.ts'
import type { Db, Kernel } from './kernel.ts'

/** What may happen only once for a project and an item. */
export interface Moment {
  /** The kind of its event. */
  kind: string
  /** '' is the global scope. */
  project: string
  item: string
  /** Of what may happen once a day: the owner's day. */
  day?: string
  /** The id of that event. */
  event: string
}

/**
 * Latches a moment, in the transaction that records its event. False when it has happened before. Of
 * two transactions that race, one waits here for the other.
 */
export async function latch(db: Db, { event: event_id, ...moment }: Moment): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('moments')
    .values({ ...moment, event_id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

interface Once {
  /** What the moment is of, where not its project and item say that: '' for what may move to another project. */
  project?: string
  item?: string
  /** The owner's day, of what may happen again on another one. */
  day?: string
}

/** Records a moment unless it has happened before, whenever that was. Returns whether it happened now. */
export async function mint<Payload extends TSchema>(
  kernel: Kernel,
  kind: EventKind<Payload>,
  draft: Draft<Static<Payload>> & { project: string; item: string },
  once: Once = {},
): Promise<boolean> {
  const event = newId(kernel.clock.now())
  const { project, item } = draft
  if (!(await latch(kernel.db, { kind: kind.name, project, item, ...once, event }))) return false
  await record(kernel, kind, { ...draft, id: event })
  return true
}

/** The session whose act was followed by a moment. */
export const actorOf = ({ session_id }: FeedEvent): Actor => ({
  session: session_id ?? '',
  model: '',
})
