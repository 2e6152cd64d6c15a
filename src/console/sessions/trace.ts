/** What the log and the counters hold of one session. */
import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import type { FeedEvent } from '../../kernel/feed.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import { CALLED } from './called.ts'
import { KINDS, type Part } from './part.ts'
import { COLUMNS, SECONDS, stateOf } from './queries.ts'

export function findSession(db: Db, owner: OwnerScope, id: string, idleMinutes: number) {
  checkOwner(owner)
  return db
    .selectFrom('sessions as s')
    .select(COLUMNS)
    .select(['s.cwd', 's.client_session_id', 's.lab'])
    .select([stateOf(idleMinutes).as('state'), CALLED.as('called'), SECONDS.as('seconds')])
    .where('s.id', '=', id)
    .executeTakeFirst()
}
export type FoundSession = NonNullable<Awaited<ReturnType<typeof findSession>>>

/** As many events as JSON holds. */
export const TIMELINE_ROWS = 500

/** A place in a trace: between which events a page of it begins. */
export interface Place {
  ts: Date
  id: string
}

export interface Stretch {
  /** Without it, from the newest or the oldest event on. */
  from?: Place | undefined
  /** Towards older events, or towards newer ones. */
  towards: 'older' | 'newer'
  limit: number
  /** Without it, all events. */
  part?: Part | undefined
}

/** Events of a session in the order in which they are asked for, the one at `from` included. */
export function eventsOf(
  db: Db,
  owner: OwnerScope,
  session: string,
  { from, towards, limit, part }: Stretch,
): Promise<FeedEvent[]> {
  checkOwner(owner)
  const [order, sign] = towards === 'older' ? (['desc', '<='] as const) : (['asc', '>='] as const)
  return db
    .selectFrom('events')
    .select(['id', 'ts', 'kind', 'session_id', 'project', 'item_id', 'payload', 'tx'])
    .where('session_id', '=', session)
    .$if(from !== undefined, (found) =>
      found
        .where('ts', sign, from!.ts)
        .where(sql<boolean>`(ts, id) ${sql.raw(sign)} (${from!.ts}::timestamptz, ${from!.id})`),
    )
    .$if(part !== undefined, (found) =>
      found.where((eb) =>
        eb.or([
          eb('kind', 'in', [...KINDS[part!]]),
          ...(part === 'wrong' ? [sql<boolean>`payload @> '{"is_error": true}'`] : []),
        ]),
      ),
    )
    .orderBy('ts', order)
    .orderBy('id', order)
    .limit(limit)
    .execute() as Promise<FeedEvent[]>
}

/** Everything that the log holds of it, by kind, the most frequent first. */
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

/** How many of its calls, prompts and misses were recorded, whether or not the log still holds them. */
export async function transportOf(
  db: Db,
  owner: OwnerScope,
  session: string,
): Promise<{ 'tool.call': number; 'hook.prompt': number; 'recall.miss': number }> {
  checkOwner(owner)
  const { rows } = await sql<{ calls: number; prompts: number; misses: number }>`
    select coalesce(sum(calls), 0)::int as calls, coalesce(sum(prompts), 0)::int as prompts,
      coalesce(sum(misses), 0)::int as misses
    from session_counts where session_id = ${session}`.execute(db)
  const { calls, prompts, misses } = rows[0]!
  return { 'tool.call': calls, 'hook.prompt': prompts, 'recall.miss': misses }
}

/**
 * Since when the log holds the calls of a session: null while it holds all of them. Retention drops whole
 * months of UTC, so that is the beginning of one.
 */
export async function keptSince(
  db: Db,
  owner: OwnerScope,
  session: FoundSession,
  { days, calls }: { days: number; calls: number },
): Promise<Date | null> {
  checkOwner(owner)
  const { rows } = await sql<{ since: Date }>`
    select date_trunc('month', loam_now() - ${days} * interval '1 day', 'UTC') as since`.execute(db)
  const { since } = rows[0]!
  if (session.created >= since || calls === 0) return null
  const kept = await db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('session_id', '=', session.id)
    .where('transport', '=', true)
    .where('kind', '=', sql.lit('tool.call'))
    .executeTakeFirstOrThrow()
  return kept.n < calls ? since : null
}

/** The band reads no more than this of what is newest; a longer session is drawn from there on. */
const BAND_EVENTS = 5_000
const BAND_PARTS = 240

export interface BandPart {
  part: number
  tone: 'injected' | 'danger' | 'written' | 'called'
}

/** In which parts of its time a session did what: `parts` of equal length, from the first to the last event. */
export async function bandOf(
  db: Db,
  owner: OwnerScope,
  session: string,
): Promise<{ from: Date; to: Date; parts: number; marks: BandPart[] } | null> {
  checkOwner(owner)
  const { rows } = await sql<{ part: number; tone: BandPart['tone']; from: Date; to: Date }>`
    with
      newest as (
        select ts, case
          when kind = 'agent.mishap' or kind = 'hook.error' or payload @> '{"is_error": true}' then 'danger'
          when kind = 'retrieval.injected' then 'injected'
          when kind in ('memory.written', 'note.written', 'trial.recorded') then 'written'
          else 'called' end as tone
        from events where session_id = ${session} order by ts desc, id desc limit ${BAND_EVENTS}
      ),
      ends as (select min(ts) as "from", max(ts) as "to" from newest)
    select distinct least(${BAND_PARTS} - 1,
        floor(${BAND_PARTS} * extract(epoch from ts - "from") / extract(epoch from "to" - "from")))::int as part,
      tone, "from", "to"
    from newest, ends where "to" > "from" order by 1`.execute(db)
  const [first] = rows
  if (!first) return null
  const marks = rows.map(({ part, tone }) => ({ part, tone }))
  return { from: first.from, to: first.to, parts: BAND_PARTS, marks }
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
export async function memoriesOf(db: Db, owner: OwnerScope, session: string) {
  checkOwner(owner)
  return db
    .selectFrom('memories as m')
    .select(['m.id', 'm.name', 'm.kind'])
    .where('m.id', 'in', itemsOf(db, owner, session, ['memory.written']))
    .orderBy('m.updated_at', 'desc')
    .orderBy('m.id')
    .limit(TIMELINE_ROWS)
    .execute()
}

/** Notes that it wrote and that are still there, the last one first. */
export async function notesOf(db: Db, owner: OwnerScope, session: string) {
  checkOwner(owner)
  return db
    .selectFrom('notes as n')
    .select(['n.id', 'n.title as name'])
    .where('n.id', 'in', itemsOf(db, owner, session, ['note.written']))
    .orderBy('n.updated_at', 'desc')
    .orderBy('n.id')
    .limit(TIMELINE_ROWS)
    .execute()
}

/** Trials that it recorded, the last one first. */
export async function trialsOf(db: Db, owner: OwnerScope, session: string) {
  checkOwner(owner)
  return db
    .selectFrom('trials as t')
    .select(['t.id', 't.title', 't.lab', 't.outcome'])
    .where('t.id', 'in', itemsOf(db, owner, session, ['trial.recorded']))
    .orderBy('t.created_at', 'desc')
    .limit(50)
    .execute()
}

function itemsOf(db: Db, owner: OwnerScope, session: string, kinds: readonly string[]) {
  checkOwner(owner)
  return db
    .selectFrom('events as e')
    .select('e.item_id')
    .where('e.session_id', '=', session)
    .where('e.transport', '=', false)
    .where('e.kind', 'in', [...kinds])
    .where('e.item_id', 'is not', null)
    .$narrowType<{ item_id: string }>()
}

/** What went wrong by its own word, the last first. */
export function mishapsOf(db: Db, owner: OwnerScope, session: string) {
  checkOwner(owner)
  return db
    .selectFrom('events')
    .select(['id', 'ts'])
    .select(sql<string>`coalesce(payload ->> 'description', '')`.as('text'))
    .where('session_id', '=', session)
    .where('transport', '=', false)
    .where('kind', '=', sql.lit('agent.mishap'))
    .orderBy('ts', 'desc')
    .orderBy('id', 'desc')
    .limit(50)
    .execute()
}

/** What was put before it: what it read afterwards first, then what was shown last. */
export async function contextOf(
  db: Db,
  owner: OwnerScope,
  session: string,
  limit: number,
): Promise<{ item_id: string; shown_at: Date; read: boolean }[]> {
  checkOwner(owner)
  const { rows } = await sql<{ item_id: string; shown_at: Date; read: boolean }>`
    select item_id, shown_at, coalesce(read_at >= shown_at - interval '2 seconds', false) as read
    from session_items where session_id = ${session} and shown_at is not null
    order by 3 desc, shown_at desc, item_id limit ${limit}`.execute(db)
  return rows
}

/** The other sessions of its client's own one, such as those that the agent began by itself. */
export async function besideOf(
  db: Db,
  owner: OwnerScope,
  { id, external_client, client_session_id }: FoundSession,
) {
  checkOwner(owner)
  if (client_session_id === '') return []
  return db
    .selectFrom('sessions as s')
    .select(['s.id', 's.name', CALLED.as('called')])
    .where('s.external_client', '=', external_client)
    .where('s.client_session_id', '=', client_session_id)
    .where('s.id', '<>', id)
    .orderBy('s.created_at')
    .limit(20)
    .execute()
}
