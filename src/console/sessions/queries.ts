/** What the owner sees of sessions. Past every fence; looking leaves no event. */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { FeedEvent } from '../../kernel/feed.ts'
import type { Db } from '../../kernel/kernel.ts'
import { NO_SUMMARY } from '../../sessions/sessions.ts'

/** As stored, but that what is active is live or, after some silence, idle. */
export const STATES = ['live', 'idle', 'completed', 'expired'] as const
export type State = (typeof STATES)[number]

export const WINDOWS = {
  '24h': { label: 'last 24 hours', span: '24 hours' },
  '7d': { label: 'last 7 days', span: '7 days' },
  '30d': { label: 'last 30 days', span: '30 days' },
  all: { label: 'all time', span: null },
} as const
export type Window = keyof typeof WINDOWS

export interface Filter {
  /** '': in any state. `active` is live or idle. */
  status: '' | 'active' | 'idle' | 'completed' | 'expired'
  sort: 'recent' | 'name'
  /** Part of a name, a project, an id or the findings. */
  q: string
  /** Of the last sign of life. */
  window: Window
  /** Whether anything is left of it: findings, a memory, a note, a trial. */
  retained: '' | 'yes' | 'no'
}

/** As many rows as a rail shows at once. */
export const RAIL = 200

const stateOf = (idle: number): RawBuilder<State> => sql<State>`case
  when s.status <> 'active' then s.status
  when s.updated_at < loam_now() - ${idle} * interval '1 minute' then 'idle'
  else 'live' end`

const RETAINED = sql<SqlBool>`(btrim(s.findings) not in ('', ${NO_SUMMARY}) or exists (
  select from events e where e.session_id = s.id
    and e.kind in ('memory.written', 'note.written', 'trial.recorded')))`

/** Everything but the state, of which the counts tell each. */
function matching(db: Db, { q, window, retained }: Filter) {
  const pattern = `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`
  const { span } = WINDOWS[window]
  return db
    .selectFrom('sessions as s')
    .$if(q !== '', (found) =>
      found.where((s) =>
        s.or([
          s('s.name', 'ilike', pattern),
          s('s.project', 'ilike', pattern),
          s('s.findings', 'ilike', pattern),
          s('s.id', '=', q.toUpperCase()),
        ]),
      ),
    )
    .$if(span !== null, (found) =>
      found.where(sql<SqlBool>`s.updated_at >= loam_now() - ${span}::interval`),
    )
    .$if(retained === 'yes', (found) => found.where(RETAINED))
    .$if(retained === 'no', (found) => found.where(sql<SqlBool>`not ${RETAINED}`))
}

const WANTED: Record<Filter['status'], readonly State[]> = {
  '': STATES,
  active: ['live', 'idle'],
  idle: ['idle'],
  completed: ['completed'],
  expired: ['expired'],
}

const COLUMNS = [
  's.id',
  's.name',
  's.project',
  's.status',
  's.source',
  's.ambient',
  's.external_client',
  's.model',
  's.findings',
  's.favorite',
  's.input_tokens',
  's.cached_tokens',
  's.cache_creation_tokens',
  's.output_tokens',
  's.created_at as created',
  's.updated_at as updated',
] as const

/** One rail of sessions, state by state; pages count from 1. */
export function listSessions(db: Db, filter: Filter, idle: number, page: number) {
  const state = stateOf(idle)
  return matching(db, filter)
    .select(COLUMNS)
    .select(state.as('state'))
    .where(state, 'in', WANTED[filter.status])
    .orderBy(sql`array_position(${[...STATES]}::text[], ${state})`)
    .$if(filter.sort === 'name', (found) => found.orderBy(sql`lower(s.name)`))
    .orderBy('s.updated_at', 'desc')
    .orderBy('s.id')
    .limit(RAIL)
    .offset((page - 1) * RAIL)
    .execute()
}
export type ListedSession = Awaited<ReturnType<typeof listSessions>>[number]

/** How many match in each state, whichever state was asked for. */
export async function countStates(
  db: Db,
  filter: Filter,
  idle: number,
): Promise<Record<State, number>> {
  const rows = await matching(db, filter)
    .select(stateOf(idle).as('state'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .groupBy(sql`1`)
    .execute()
  const counts = { live: 0, idle: 0, completed: 0, expired: 0 }
  for (const { state, n } of rows) counts[state] = n
  return counts
}

export const wantedOf = (counts: Record<State, number>, status: Filter['status']): number =>
  WANTED[status].reduce((sum, state) => sum + counts[state], 0)

export async function countSessions(db: Db): Promise<number> {
  const { n } = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return n
}

export const findShown = (db: Db, id: string, idle: number) =>
  db
    .selectFrom('sessions as s')
    .select(COLUMNS)
    .select(['s.cwd', 's.client_session_id', 's.lab'])
    .select(stateOf(idle).as('state'))
    // Until now, or until its last sign of life.
    .select(
      sql<number>`extract(epoch from case when s.status = 'active' then greatest(loam_now(), s.updated_at)
        else s.updated_at end - s.created_at)::float8`.as('seconds'),
    )
    .where('s.id', '=', id)
    .executeTakeFirst()

/** As many events as the trace shows. */
const TRACE = 500

/** What it did, newest first. */
export const eventsOf = (db: Db, session: string): Promise<FeedEvent[]> =>
  db
    .selectFrom('events')
    .select(['id', 'ts', 'kind', 'session_id', 'project', 'item_id', 'payload', 'tx'])
    .where('session_id', '=', session)
    .orderBy('ts', 'desc')
    .orderBy('id', 'desc')
    .limit(TRACE)
    .execute() as Promise<FeedEvent[]>

/** All of its events, by kind, the most frequent first. */
export const kindsOf = (db: Db, session: string): Promise<{ kind: string; n: number }[]> =>
  db
    .selectFrom('events')
    .select('kind')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('session_id', '=', session)
    .groupBy('kind')
    .orderBy('n', 'desc')
    .orderBy('kind')
    .execute()

/**
 * How many things it was shown, and how many of them it read then. What is written in batches bears a
 * time that is late by as long as its batch waited.
 */
export async function contextOf(
  db: Db,
  session: string,
): Promise<{ injected: number; read: number }> {
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
export const claimsOf = (db: Db, session: string) =>
  db
    .selectFrom('tasks')
    .select(['id', 'title', 'plan'])
    .select(sql<number>`extract(epoch from lease_expires_at - loam_now())::float8`.as('left'))
    .where('claimed_by', '=', session)
    .where('lease_expires_at', '>', sql<Date>`loam_now()`)
    .orderBy('lease_expires_at')
    .execute()

/** Memories that it wrote and that are still there, the last one first. */
export const memoriesOf = (db: Db, session: string) =>
  db
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
    .limit(TRACE)
    .execute()
