import { sql } from 'kysely'
import type { Static, TSchema } from 'typebox'
import type { Draft, EventKind, PendingEvent } from './event-kind.ts'
import { withGuess } from './event-rows.ts'
import { newId } from './id.ts'
import type { Kernel, Reaction } from './kernel.ts'

export function defineReaction<Payload extends TSchema>(reaction: Reaction<Payload>): Reaction {
  return reaction as unknown as Reaction
}

/**
 * Records an act, in the transaction of the act it describes.
 *
 * Reactions run first, so that the event holds what they return. An id that is already recorded
 * is left as it is: a write that is indexed twice is one act.
 */
export async function record<Payload extends TSchema>(
  kernel: Kernel,
  kind: EventKind<Payload>,
  draft: Draft<Static<Payload>>,
): Promise<string> {
  const id = draft.id ?? newId(kernel.clock.now())
  await recordAll(kernel, [pendingEvent(kind, { ...draft, id })])
  return id
}

/** An act for a write to record together with its files. */
export const pendingEvent = <Payload extends TSchema>(
  kind: EventKind<Payload>,
  draft: Draft<Static<Payload>>,
): PendingEvent => ({ kind: kind as unknown as EventKind, draft })

/** Records several acts as one statement, each as `record` does. */
export async function recordAll(kernel: Kernel, acts: readonly PendingEvent[]): Promise<void> {
  const rows = []
  for (const { kind, draft } of acts) {
    const event = { ...draft, id: draft.id ?? newId(kernel.clock.now()) }
    let payload = event.payload as object
    for (const reaction of reactionsTo(kernel, kind, event.payload)) {
      payload = { ...payload, ...(await reaction.run(kernel, event)) }
    }
    rows.push({
      id: event.id,
      ts: sql<Date>`loam_now()`,
      kind: kind.name,
      transport: kind.transport,
      session_id: event.by.session || null,
      project: event.project,
      item_id: event.item,
      payload: JSON.stringify(withGuess(event.by, payload)),
    })
  }
  if (rows.length === 0) return
  await kernel.db
    .insertInto('events')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

function reactionsTo<Payload extends TSchema>(
  { reactions }: Kernel,
  { name }: EventKind<Payload>,
  payload: Static<Payload>,
): Reaction[] {
  return reactions.filter(
    ({ to, concerns }) => to.name === name && (concerns?.({ payload }) ?? true),
  )
}

/**
 * Whether something follows from such an event. Where nothing does, a statement that does the act may
 * write the event as well, in SQL, and needs no transaction around it.
 */
export const isFollowed = <Payload extends TSchema>(
  kernel: Kernel,
  kind: EventKind<Payload>,
  payload: Static<Payload>,
): boolean => reactionsTo(kernel, kind, payload).length > 0

/** What events keep of an item's own text. Its name stays: that something happened is not undone. */
const TEXT_KEPT = ['diff', 'description', 'reason']

/**
 * Takes the text of an item that was deleted out of what was recorded of it. A file that was copied by hand may
 * have the id of an item of another kind: what was recorded of that one stays.
 */
export async function blankItem({ db }: Kernel, kind: string, item: string): Promise<void> {
  await sql`
    update events set payload = payload - ${TEXT_KEPT}::text[]
    where item_id = ${item} and split_part(kind, '.', 1) = ${kind}
      and payload ?| ${TEXT_KEPT}::text[]`.execute(db)
}
