import type { Db } from './kernel.ts'

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
