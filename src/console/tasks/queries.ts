import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, scopeSql, type OwnerScope } from '../../projects/projects.ts'
import { containing } from '../../text/like.ts'
import type { HitDetails, NamedItem } from '../screen.ts'
import { CALLED } from '../sessions/called.ts'

/** Where an unfinished task stands, in the order of the list. */
const OPEN_BUCKETS = ['ready', 'in_progress', 'blocked'] as const
export const BUCKETS = [...OPEN_BUCKETS, 'closed'] as const
export type Bucket = (typeof BUCKETS)[number]
/** What the list can be narrowed to: one bucket, or all that are not closed. */
export const STATUSES = ['open', ...BUCKETS] as const

interface Asked {
  project: string | null
  plan: string | null
  pattern: string
  most: number
  skip: number
}
const board = scopeSql<
  Asked & { bucket: string },
  { id: string | null; bucket: Bucket; matching: number },
  OwnerScope
>('tasks/board')
const closed = scopeSql<Asked, { id: string; matching: number }, OwnerScope>('tasks/closed')

export interface Filter {
  q: string
  /** '' is the global scope; null: any. */
  project: string | null
  bucket: (typeof STATUSES)[number] | undefined
  /** '' is of no plan; left out: any. */
  plan?: string
  /** Unfinished tasks of a page, from 1. */
  page: number
}

/** Unfinished tasks of a page, and closed ones when nothing else is asked for. */
export const PAGE_ROWS = 200
export const CLOSED_ROWS = 25

export interface Found {
  ids: { id: string; bucket: Bucket }[]
  counts: Record<Bucket, number>
}

/** The tasks of a page, bucket by bucket, and how many match in each, whichever was asked for. */
export async function pageOf(
  db: Db,
  owner: OwnerScope,
  { q, project, bucket, plan, page }: Filter,
): Promise<Found> {
  const pattern = q === '' ? '' : containing(q)
  const asked = {
    project,
    plan: plan ?? null,
    pattern,
    most: PAGE_ROWS,
    skip: (page - 1) * PAGE_ROWS,
  }
  const isClosed = bucket === 'closed'
  const few = { most: CLOSED_ROWS, skip: 0 }
  const [open, over] = await Promise.all([
    board(db, owner, { ...asked, bucket: bucket === 'open' ? '' : (bucket ?? '') }),
    closed(db, owner, { ...asked, ...(!isClosed && few) }),
  ])
  const counts = { ready: 0, in_progress: 0, blocked: 0, closed: over[0]?.matching ?? 0 }
  for (const row of open) counts[row.bucket] = row.matching
  // A page of an open bucket ends with the closed ones only where they are not filtered away.
  const showsClosed = isClosed || (bucket === undefined && page === 1)
  return {
    ids: [
      ...open.flatMap(({ id, bucket }) => (id === null ? [] : [{ id, bucket }])),
      ...(showsClosed ? over.map(({ id }) => ({ id, bucket: 'closed' as const })) : []),
    ],
    counts,
  }
}

const IS_BLOCKED = sql<boolean>`k.status = 'open' and k.blocked`
const LEFT = sql<number | null>`extract(epoch from k.lease_expires_at - loam_now())::float8`

/** Tasks with who holds them, by id. */
export async function readTasks(db: Db, owner: OwnerScope, ids: readonly string[]) {
  checkOwner(owner)
  if (ids.length === 0) return new Map<string, never>()
  const rows = await db
    .selectFrom('tasks as k')
    .leftJoin('sessions as s', 's.id', 'k.claimed_by')
    .select(['k.id', 'k.title', 'k.project', 'k.plan', 'k.status', 'k.favorite', 'k.paths'])
    .select(['k.depends_on_total as deps', 'k.claimed_by as holder_id', 's.name as holder'])
    .select(['k.lease_expires_at as lease', 'k.created_at as created', 'k.created_by'])
    .select(['k.updated_at as updated', 'k.closed_at as closed'])
    .select([IS_BLOCKED.as('blocked'), LEFT.as('left'), CALLED.as('called')])
    .where('k.id', 'in', [...ids])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
export type TaskRow =
  Awaited<ReturnType<typeof readTasks>> extends ReadonlyMap<string, infer Row> ? Row : never

export interface Beside {
  id: string
  title: string
  status: string
  of: string
}

/** As many of one task as are read. */
const BESIDE = 100

/** What each of these waits for; with `unfinished` only what is not closed yet. */
export async function blockersOf(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
  { unfinished }: { unfinished: boolean },
): Promise<Map<string, Beside[]>> {
  checkOwner(owner)
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Beside>`
    select near.* from unnest(${[...ids]}::text[]) as u (id), lateral (
      select b.id, b.title, b.status, u.id as of
      from task_deps d join tasks b on b.id = d.depends_on
      where d.task_id = u.id and (not ${unfinished}::boolean or b.status in ('open', 'in_progress'))
      order by b.created_at, b.id limit ${BESIDE}
    ) near`.execute(db)
  return Map.groupBy(rows, ({ of }) => of)
}

/** What waits for a task. */
export async function waitingFor(db: Db, owner: OwnerScope, id: string): Promise<Beside[]> {
  checkOwner(owner)
  const { rows } = await sql<Beside>`
    select b.id, b.title, b.status, d.depends_on as of
    from task_deps d join tasks b on b.id = d.task_id
    where d.depends_on = ${id}
    order by b.created_at, b.id limit ${BESIDE}`.execute(db)
  return rows
}

/** What its author wrote; undefined: there is no such task. */
export async function readBody(db: Db, owner: OwnerScope, id: string): Promise<string | undefined> {
  checkOwner(owner)
  const row = await db.selectFrom('tasks').select('body').where('id', '=', id).executeTakeFirst()
  return row?.body
}

/** The projects that have tasks. */
export async function projectsOf(db: Db, owner: OwnerScope): Promise<string[]> {
  checkOwner(owner)
  const rows = await db
    .selectFrom('task_totals')
    .select('project')
    .distinct()
    .orderBy('project')
    .execute()
  return rows.map(({ project }) => project)
}

/** How many tasks wait for another one. */
export async function countBlocked(db: Db, owner: OwnerScope): Promise<number> {
  checkOwner(owner)
  const row = await db
    .selectFrom('task_totals')
    .select(sql<number>`coalesce(sum(blocked), 0)::int`.as('n'))
    .executeTakeFirst()
  return row?.n ?? 0
}

export function findTaskNames(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<NamedItem[]> {
  checkOwner(owner)
  return db
    .selectFrom('tasks')
    .select(['id', 'title as name', 'project'])
    .select(sql<string>`left(body, 1000)`.as('description'))
    .where('id', 'in', [...ids])
    .execute()
}

/** Who holds those of the tasks that are claimed. */
export async function findHolders(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, HitDetails>> {
  checkOwner(owner)
  const rows = await db
    .selectFrom('tasks as k')
    .leftJoin('sessions as s', 's.id', 'k.claimed_by')
    .select(['k.id', 'k.claimed_by', 's.name'])
    .where('k.id', 'in', [...ids])
    .where('k.status', '=', sql.lit('in_progress'))
    .where('k.claimed_by', '<>', sql.lit(''))
    .execute()
  return new Map(
    rows.map(({ id, name, claimed_by: by }) => [id, { holder: name ?? by ?? 'a session' }]),
  )
}
