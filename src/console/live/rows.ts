/** Events as the stream sends them: one line each, or the richer row of an interaction. */
import type { Db, Kernel } from '../../kernel/kernel.ts'
import type { Batch, FeedEvent } from '../../kernel/feed.ts'
import { ownerScope } from '../../projects/projects.ts'
import { calledSessions, type CalledSession } from '../sessions/called.ts'
import { isInteraction, requestOf, responseOf, severityOf, summaryOf } from './events.ts'

export const INTERACTIONS = 'interactions'
export type FeedName = '' | typeof INTERACTIONS

/** One message of the stream for each row. */
export type Rows = readonly { id: string; tx: string; json: string }[]

/** Of what was asked and answered, in UTF-16 units. */
const TEXT_UNITS = 4_000

/**
 * Makes the rows of a batch. An interaction names its session, which is looked up when the row is
 * sent: a name may change while the session lives.
 */
export const rowsOf =
  (kernel: Kernel) =>
  (batch: Batch, feed: FeedName): Promise<Rows> =>
    feed === '' ? plain(batch) : interactions(kernel, batch)

async function plain({ events }: Batch): Promise<Rows> {
  return events.map((event) => ({
    id: event.id,
    tx: event.tx,
    json: JSON.stringify({
      id: event.id,
      ts: event.ts,
      kind: event.kind,
      ...(event.project && { project: event.project }),
      ...(event.session_id && { sessionId: event.session_id }),
      ...(event.item_id && { itemId: event.item_id }),
      summary: summaryOf(event),
    }),
  }))
}

async function interactions({ db }: Kernel, { events }: Batch): Promise<Rows> {
  const shown = events.filter(isInteraction)
  const actors = await findActors(db, [
    ...new Set(shown.flatMap(({ session_id }) => session_id ?? [])),
  ])
  return shown.map((event) => ({
    id: event.id,
    tx: event.tx,
    json: JSON.stringify(interactionOf(event, actors.get(event.session_id ?? ''))),
  }))
}

/** By whom: the session of an event. */
export const findActors = (
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CalledSession>> => calledSessions(db, ownerScope(), ids)

/** The row of an interaction, as the feed and the event's page show it. */
export function interactionOf(event: FeedEvent, actor?: CalledSession) {
  const { payload } = event
  return {
    id: event.id,
    ts: event.ts,
    kind: event.kind,
    ...(event.project && { project: event.project }),
    summary: summaryOf(event),
    tone: severityOf(event),
    label: labelOf(event),
    ...(event.session_id && { sessionId: event.session_id }),
    ...(actor && {
      sessionName: actor.name,
      sessionCalled: actor.called,
      ...(actor.ambient && { ambient: true }),
      ...(actor.external_client && { harness: actor.external_client }),
      ...(actor.model && { model: actor.model }),
    }),
    ...(payload['is_error'] === true && { isError: true }),
    ...(typeof payload['duration_ms'] === 'number' && { durationMs: payload['duration_ms'] }),
    ...optional('request', requestOf(payload)),
    ...optional('response', responseOf(payload)),
    ...(Array.isArray(payload['item_ids']) && { items: payload['item_ids'].length }),
  }
}

function labelOf({ kind, payload }: FeedEvent): string {
  const named = payload['tool'] ?? payload['hook'] ?? payload['basename'] ?? payload['agent_type']
  if (typeof named === 'string') return named
  return kind.startsWith('session.') ? 'session' : kind
}

const optional = (name: string, text: string | undefined) =>
  text === undefined
    ? {}
    : {
        [name]:
          text.length > TEXT_UNITS
            ? `${text.slice(0, TEXT_UNITS).replace(/[\ud800-\udbff]$/, '')}…`
            : text,
      }
