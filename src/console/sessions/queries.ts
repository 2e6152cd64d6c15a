/** What the owner sees of sessions. Past every fence; looking leaves no event. */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import { NO_SUMMARY } from '../../sessions/sessions.ts'
import type { NamedItem } from '../screen.ts'
import { WINDOWS, type Window } from '../windows.ts'
import { CALLED } from './called.ts'

/** As stored, except that what is active is live or, after some silence, idle. */
export const STATES = ['live', 'idle', 'completed', 'expired'] as const
export type State = (typeof STATES)[number]

export const STATUSES = ['active', 'idle', 'completed', 'expired'] as const
export const SORTS = ['recent', 'name'] as const
export const RETENTIONS = ['yes', 'no'] as const

export interface Filter {
  /** Left out: in any state. `active` is live or idle. */
  status?: (typeof STATUSES)[number]
  sort: (typeof SORTS)[number]
  /** Part of what it is called, a handle, a project or the findings; or an id. */
  q: string
  /** Of the last sign of life. */
  w: Window
  /** Whether anything is left of it: findings, a memory, a note, a trial. */
  retained?: (typeof RETENTIONS)[number]
  /** From 1 on. */
  page: number
}

/** As many rows as a rail shows at once. */
export const RAIL_ROWS = 200

export const stateOf = (idleMinutes: number): RawBuilder<State> => sql<State>`case
  when s.status <> 'active' then s.status
  when s.updated_at < loam_now() - coalesce(s.idle_minutes, ${idleMinutes}) * interval '1 minute' then 'idle'
  else 'live' end`

const RETAINED = sql<SqlBool>`(btrim(s.findings) not in ('', ${NO_SUMMARY}) or exists (
  select from events e where e.session_id = s.id
    and e.kind in ('memory.written', 'note.written', 'trial.recorded')))`

/** By everything but the state: there is a count for each. */
function matching(db: Db, owner: OwnerScope, { q, w, retained }: Filter) {
  checkOwner(owner)
  const pattern = `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`
  const { span } = WINDOWS[w]
  return db
    .selectFrom('sessions as s')
    .$if(q !== '', (found) =>
      found.where((s) =>
        s.or([
          s('s.name', 'ilike', pattern),
          s(CALLED, 'ilike', pattern),
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

const WANTED: Record<(typeof STATUSES)[number], readonly State[]> = {
  active: ['live', 'idle'],
  idle: ['idle'],
  completed: ['completed'],
  expired: ['expired'],
}

export const COLUMNS = [
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

const wanted = (status: Filter['status']): readonly State[] => (status ? WANTED[status] : STATES)

/** One page of the rail, state by state. In its turn a session is idle after so many minutes of silence. */
export function listSessions(db: Db, owner: OwnerScope, filter: Filter, idleMinutes: number) {
  const state = stateOf(idleMinutes)
  return matching(db, owner, filter)
    .select(COLUMNS)
    .select([state.as('state'), CALLED.as('called')])
    .where(state, 'in', wanted(filter.status))
    .orderBy(sql`array_position(${[...STATES]}::text[], ${state})`)
    .$if(filter.sort === 'name', (found) => found.orderBy(sql`lower(${CALLED})`))
    .orderBy('s.updated_at', 'desc')
    .orderBy('s.id')
    .limit(RAIL_ROWS)
    .offset((filter.page - 1) * RAIL_ROWS)
    .execute()
}
export type ListedSession = Awaited<ReturnType<typeof listSessions>>[number]

/** How many match in each state, whichever state was asked for. */
export async function countStates(
  db: Db,
  owner: OwnerScope,
  filter: Filter,
  idleMinutes: number,
): Promise<Record<State, number>> {
  const rows = await matching(db, owner, filter)
    .select(stateOf(idleMinutes).as('state'))
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .groupBy(sql`1`)
    .execute()
  const counts = { live: 0, idle: 0, completed: 0, expired: 0 }
  for (const { state, n } of rows) counts[state] = n
  return counts
}

export const wantedOf = (counts: Record<State, number>, status: Filter['status']): number =>
  wanted(status).reduce((sum, state) => sum + counts[state], 0)

export async function countSessions({ db }: Kernel, owner: OwnerScope): Promise<number> {
  checkOwner(owner)
  const { n } = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return n
}

export function findSessionNames(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<NamedItem[]> {
  checkOwner(owner)
  return db
    .selectFrom('sessions as s')
    .select(['s.id', CALLED.as('name'), 's.project'])
    .select(sql<string>`left(s.findings, 1000)`.as('description'))
    .where('s.id', 'in', [...ids])
    .execute()
}
