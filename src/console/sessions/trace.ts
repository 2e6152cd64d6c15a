/** What one session was and did. */
import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import type { FeedEvent } from '../../kernel/feed.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import { CALLED } from './called.ts'
import { COLUMNS, stateOf } from './queries.ts'

export function findSession(db: Db, owner: OwnerScope, id: string, idleMinutes: number) {
  checkOwner(owner)
  return (
    db
      .selectFrom('sessions as s')
      .select(COLUMNS)
      .select(['s.cwd', 's.client_session_id', 's.lab'])
      .select([stateOf(idleMinutes).as('state'), CALLED.as('called')])
      // Until now, or until its last sign of life.
      .select(
        sql<number>`extract(epoch from case when s.status = 'active' then greatest(loam_now(), s.updated_at)
        else s.updated_at end - s.created_at)::float8`.as('seconds'),
      )
      .where('s.id', '=', id)
      .executeTakeFirst()
  )
}

/** As many events as the trace shows. */
const TRACE_ROWS = 500

/** What it did, newest first. */
export function eventsOf(db: Db, owner: OwnerScope, session: string): Promise<FeedEvent[]> {
  checkOwner(owner)
  return db
    .selectFrom('events')
    .select(['id', 'ts', 'kind', 'session_id', 'project', 'item_id', 'payload', 'tx'])
    .where('session_id', '=', session)
    .orderBy('ts', 'desc')
    .orderBy('id', 'desc')
    .limit(TRACE_ROWS)
    .execute() as Promise<FeedEvent[]>
}

/** All of its events, by kind, the most frequent first. */
export function kindsOf(
  db: Db,
  owner: OwnerScope,
  session: string,
): Promise<{ kind: string; n: number }[]> {
  checkOwner(owner)
  return db
    .selectFrom('events')
    .select('kind')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('session_id', '=', session)
    .groupBy('kind')
    .orderBy('n', 'desc')
    .orderBy('kind')
    .execute()
}

/**
 * How many things it was shown, and how many of them it read then. An event that is written in a batch
 * carries a time that is late by as long as the batch waited.
 */
export async function contextOf(
  db: Db,
  owner: OwnerScope,
  session: string,
): Promise<{ injected: number; read: number }> {
  checkOwner(owner)
  const { rows } = await sql<{ injected: number; read: number }>`
    with
      own as materialized (
        select ts, kind, item_id, payload from events
        where session_id = ${session} and kind in ('retrieval.injected', 'memory.read', 'note.read')
      ),
      injected as (
        select item.id, min(own.ts) as ts
        from own, jsonb_array_elements_text(
          case jsonb_typeof(payload -> 'item_ids') when 'array' then payload -> 'item_ids' else '[]' end
        ) as item (id)
        where own.kind = 'retrieval.injected'
        group by item.id
      )
    select count(*)::int as injected,
      (count(*) filter (where exists (
        select from own where own.kind <> 'retrieval.injected' and own.item_id = i.id
          and own.ts >= i.ts - interval '2 seconds'
      )))::int as read
    from injected i`.execute(db)
  return rows[0]!
}

/** Tasks that it holds at this moment; `left` in seconds. */
export function claimsOf(db: Db, owner: OwnerScope, session: string) {
  checkOwner(owner)
  return db
    .selectFrom('tasks')
    .select(['id', 'title', 'plan'])
    .select(sql<number>`extract(epoch from lease_expires_at - loam_now())::float8`.as('left'))
    .where('claimed_by', '=', session)
    .where('lease_expires_at', '>', sql<Date>`loam_now()`)
    .orderBy('lease_expires_at')
    .execute()
}

/** Memories that it wrote and that are still there, the last one first. */
export function memoriesOf(db: Db, owner: OwnerScope, session: string) {
  checkOwner(owner)
  return db
    .selectFrom('memories as m')
    .select(['m.id', 'm.name', 'm.kind'])
    .where((m) =>
      m.exists(
        m
          .selectFrom('events as e')
          .select('e.id')
          .whereRef('e.item_id', '=', 'm.id')
          .where('e.session_id', '=', session)
          .where('e.kind', '=', 'memory.written'),
      ),
    )
    .orderBy('m.updated_at', 'desc')
    .orderBy('m.id')
    .limit(TRACE_ROWS)
    .execute()
}
