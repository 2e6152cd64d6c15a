import type { Db } from './kernel.ts'

/** What may happen once ever, of a project and an item. */
export interface Moment {
  /** The kind of the event that tells of it. */
  kind: string
  /** '' is the global scope. */
  project: string
  item: string
  /** The id of that event. */
  event: string
}

/**
 * Latches a moment, in the transaction that records its event. False when it has been before: of two
 * that race, one waits for the other here.
 */
export async function latch(db: Db, { event: event_id, ...moment }: Moment): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('moments')
    .values({ ...moment, event_id })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}
