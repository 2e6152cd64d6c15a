import { sql } from 'kysely'
import type { Static, TSchema } from 'typebox'
import type { Actor } from './actor.ts'
import type { Db } from './db.ts'
import type { Draft, EventKind } from './event-kind.ts'

/** An event that waits to be written. */
export interface EventRow {
  id: string
  /** The row as JSON, storable. Its length is what the queue counts. */
  json: string
  /** Monotonic, in milliseconds: the event's own time is that of its queueing. */
  atMs: number
}

export function eventRow<Payload extends TSchema>(
  { name: kind, transport }: EventKind<Payload>,
  { by, project, item, payload, id }: Draft<Static<Payload>> & { id: string },
  atMs: number,
): EventRow {
  const session = by.session || null
  const row = { id, kind, transport, session, project, item, payload: withGuess(by, payload) }
  return { id, json: storableJson(JSON.stringify(row)), atMs }
}

/** What an event holds, with the session that it probably was when nobody knows it. */
export const withGuess = (by: Actor, payload: unknown): unknown =>
  by.session === '' && by.probably
    ? { ...(payload as object), probable_session: by.probably }
    : payload

/** JSON text without what jsonb refuses or silently changes: NUL and half surrogate pairs become U+FFFD. */
export function storableJson(json: string): string {
  if (!/\\u(?:0000|d[89a-f])/.test(json)) return json
  // Every escape is consumed whole, so that an escaped backslash before `u0000` stays text.
  return json.replaceAll(/\\(?:u0000|ud[89a-f][0-9a-f]{2}|[^])/g, (escape) =>
    /^\\u(?:0000|d[89a-f])/.test(escape) ? '\ufffd' : escape,
  )
}

/** Inserts the rows with one statement. With `again`, those that are already there are left out. */
export async function insertEventRows(
  db: Db,
  rows: readonly EventRow[],
  again: boolean,
): Promise<void> {
  const nowMs = performance.now()
  const sorted = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const json = sorted.map((row) => `{"age":${(nowMs - row.atMs).toFixed(3)},"row":${row.json}}`)
  const unlessThere = sql`where not exists (
    select from events e where e.id = r.row ->> 'id'
      and e.ts > loam_now() - interval '1 hour' - r.age * interval '1 millisecond')`
  await sql`
    insert into events (id, ts, kind, transport, session_id, project, item_id, payload)
    select r.row ->> 'id', loam_now() - r.age * interval '1 millisecond', r.row ->> 'kind',
           (r.row -> 'transport')::boolean,
           r.row ->> 'session', r.row ->> 'project', r.row ->> 'item', r.row -> 'payload'
    from jsonb_to_recordset(${`[${json.join(',')}]`}::jsonb) as r (age float8, row jsonb)
    ${again ? unlessThere : sql``}`.execute(db)
}
