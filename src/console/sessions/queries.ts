/** What the owner sees of sessions. Past every fence; looking leaves no event. */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import { NO_SUMMARY } from '../../sessions/sessions.ts'
import { containing } from '../../text/like.ts'
import type { HitDetails, NamedItem } from '../screen.ts'
import { someContain } from '../some-contain.ts'
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
  /** A slug, or `global`; '' is every project. */
  project: string
  /** Of the last sign of life. */
  w: Window
  /** That they began on, in the owner's zone; '' is any, and one leaves the window aside. */
  day: string
  /** Whether anything is left of it: findings, a memory, a note, a trial. */
  retained?: (typeof RETENTIONS)[number]
  /** From 1 on. */
  page: number
}

const LIST_ROWS = 200
const DAY_ROWS = 1_000

/** As many rows as the list shows at once. */
export const rowsOf = ({ day }: Pick<Filter, 'day'>): number => (day === '' ? LIST_ROWS : DAY_ROWS)

export const stateOf = (idleMinutes: number): RawBuilder<State> => sql<State>`case
  when s.status <> 'active' then s.status
  when s.updated_at < loam_now() - coalesce(s.idle_minutes, ${idleMinutes}) * interval '1 minute' then 'idle'
  else 'live' end`

const RETAINED = sql<SqlBool>`(btrim(s.findings) not in ('', ${NO_SUMMARY}) or exists (
  select from session_counts c where c.session_id = s.id and c.written > 0))`

/** Shorter characters are in no index. */
const LEAST_INDEXED = 3

/** By the order of bytes no letter beyond the English ones has another case: any may stand for it. */
const loosely = (q: string): string => containing(q).replaceAll(/[^ -~]/gu, '_')

/** What the indexes tell of those that have these characters: of all others, that they do not. */
const mayContain = (q: string): RawBuilder<SqlBool> => sql<SqlBool>`(
  s.id = ${q.toUpperCase()} or s.status = 'active' or s.claimed_task <> ''
  or s.project = any (array(select slug from projects where slug ilike ${loosely(q)}))
  or s.status <> 'active' and (s.name ilike ${loosely(q)}
    or s.called ilike ${containing(q)} or s.findings ilike ${containing(q)}))`

/** By everything but the state: there is a count for each. */
export function matching(db: Db, owner: OwnerScope, { q, w, day, retained, project }: Filter) {
  checkOwner(owner)
  const { span } = WINDOWS[w]
  return db
    .selectFrom('sessions as s')
    .$if(q !== '', (found) =>
      found.where((s) =>
        s.or([
          someContain([sql`s.name`, CALLED, sql`s.project`, sql`s.findings`], q),
          s('s.id', '=', q.toUpperCase()),
        ]),
      ),
    )
    .$if(q.length >= LEAST_INDEXED, (found) => found.where(mayContain(q)))
    .$if(day !== '', (found) =>
      found.where(sql<SqlBool>`s.id in (
        select k.session_id from session_kept k
        where k.created_at >= ${day}::date::timestamp at time zone owner_zone()
          and k.created_at < (${day}::date + 1)::timestamp at time zone owner_zone())`),
    )
    .$if(day === '' && span !== null, (found) =>
      found.where(sql<SqlBool>`s.updated_at >= (select loam_now()) - ${span}::interval`),
    )
    .$if(project !== '', (found) =>
      found.where('s.project', '=', project === 'global' ? '' : project),
    )
    .$if(retained === 'yes', (found) => found.where(RETAINED))
    .$if(retained === 'no', (found) => found.where(sql<SqlBool>`not ${RETAINED}`))
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

/** How long it went on: until now, or until its last sign of life. */
export const SECONDS = sql<number>`extract(epoch from case when s.status = 'active'
  then greatest(loam_now(), s.updated_at) else s.updated_at end - s.created_at)::float8`

/** Sessions as the list shows them, in the order of the ids. */
export function listSessions(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
  idleMinutes: number,
) {
  checkOwner(owner)
  return db
    .selectFrom('sessions as s')
    .select(COLUMNS)
    .select([stateOf(idleMinutes).as('state'), CALLED.as('called'), SECONDS.as('seconds')])
    .where('s.id', '=', sql<string>`any (${[...ids]}::text[])`)
    .orderBy(sql`array_position(${[...ids]}::text[], s.id)`)
    .execute()
}
export type ListedSession = Awaited<ReturnType<typeof listSessions>>[number]

/** @param project '' stands for every project */
export async function countSessions(
  { db }: Kernel,
  owner: OwnerScope,
  project = '',
): Promise<number> {
  checkOwner(owner)
  const { n } = await db
    .selectFrom('sessions')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .$if(project !== '', (found) =>
      found.where('project', '=', project === 'global' ? '' : project),
    )
    .executeTakeFirstOrThrow()
  return n
}

/** What a session has done, whether or not the log still holds it. */
export interface Figures {
  calls: number
  /** Of the calls. */
  failed: number
  mishaps: number
  /** Times that it wrote a memory, a note or a trial. */
  written: number
  /** Different items that were put before it. */
  shown: number
  /** Those of them that it read afterwards. */
  read: number
}

export const NO_FIGURES: Figures = {
  ...{ calls: 0, failed: 0, mishaps: 0 },
  ...{ written: 0, shown: 0, read: 0 },
}

/** By session; one that has done nothing is left out. */
export async function figuresOf(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Figures>> {
  checkOwner(owner)
  // What is written in a batch carries a time that is late by as long as the batch waited.
  const { rows } = await sql<Figures & { session_id: string }>`
    select session_id, coalesce(calls, 0) as calls, coalesce(failed, 0) as failed, coalesce(mishaps, 0) as mishaps,
      coalesce(written, 0) as written, coalesce(shown, 0) as shown, coalesce(read, 0) as read
    from (
      select session_id, sum(calls)::int as calls, sum(failed)::int as failed, sum(mishaps)::int as mishaps,
        sum(written)::int as written
      from session_counts where session_id = any (${[...ids]}) group by session_id
    ) counts full join (
      select session_id, count(shown_at)::int as shown,
        (count(*) filter (where read_at >= shown_at - interval '2 seconds'))::int as read
      from session_items where session_id = any (${[...ids]}) group by session_id
    ) items using (session_id)`.execute(db)
  return new Map(rows.map(({ session_id, ...figures }) => [session_id, figures]))
}

/** What the list can be narrowed to: every project, in the order of their slugs. */
export async function projectsOf(db: Db, owner: OwnerScope): Promise<string[]> {
  checkOwner(owner)
  const rows = await db.selectFrom('projects').select('slug').orderBy('slug').execute()
  return rows.map(({ slug }) => slug)
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

/** What sessions are called, and which of them are starred. */
export async function findDeeds(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, HitDetails>> {
  checkOwner(owner)
  const rows = await db
    .selectFrom('sessions as s')
    .select(['s.id', 's.favorite', CALLED.as('title')])
    .where('s.id', 'in', [...ids])
    .execute()
  return new Map(
    rows.map(({ id, title, favorite }) => [id, { title, ...(favorite && { favorite }) }]),
  )
}
