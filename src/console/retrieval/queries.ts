/** What the page of retrieval asks. Nothing here reads the log through: what a window needs is kept as it happens. */
import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, scopeSql, type OwnerScope } from '../../projects/projects.ts'
import type { Bounds } from '../overview/queries.ts'

/** Memories of one kind in one project. */
export interface ScopeRow {
  /** '' is the global scope. */
  project: string
  kind: string
  active: number
  surfaced: number
  surfaced_before: number
  /** Shown at a start, and of these asked for. */
  briefed: number
  demanded: number
  asked: number
  injections: number
  /** Tokens of those that nobody asks for. */
  wasted: number
  created: number
  retired: number
}

export interface MemoryRows {
  scopes: ScopeRow[]
  top: { id: string; injects: number; sessions: number }[]
  dead: { id: string; injects: number }[]
  dead_total: number
}
export const findMemories = scopeSql<
  Bounds & { days: number; most: number; dead: number; exempt: readonly string[] },
  MemoryRows,
  OwnerScope
>('retrieval/memories')

export interface StaleRow {
  id: string
  total: number
}
export const findStale = scopeSql<{ days: number; most: number }, StaleRow, OwnerScope>(
  'retrieval/stale',
)

export interface SurfaceRow {
  surface: string
  events: number
  injections: number
  items: number
  pulled: number
}
type Since = Pick<Bounds, 'since' | 'zone'>
export const findSurfaces = scopeSql<Since, SurfaceRow, OwnerScope>('retrieval/surfaces')

export interface WaysRow {
  since: Date
  label: string
  /** Of an hour. */
  day: string | null
  /** Items by the way in which they were put before agents. */
  items: Record<string, number>
}
export const findWays = scopeSql<Since & { unit: 'hour' | 'day' }, WaysRow, OwnerScope>(
  'retrieval/ways',
)

export const findMisses = scopeSql<
  Pick<Bounds, 'since'>,
  { prompts: number; told: number; searches: number },
  OwnerScope
>('retrieval/misses')

export interface VainRow {
  id: string
  ts: Date
  project: string | null
  session_id: string | null
  query: string
  times: number
}
export const findInVain = scopeSql<
  { since: Date | null; look: number; most: number },
  VainRow,
  OwnerScope
>('retrieval/in_vain')

/** What memories are called, and how often they were shown ever and read in the window, by id. */
export async function describe(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
  since: Date | null,
) {
  checkOwner(owner)
  if (ids.length === 0) return new Map<string, never>()
  const reads = sql<number>`(select count(*) from event_items i where i.item_id = m.id and i.class = 'read'
    and (${since}::timestamptz is null or i.ts >= ${since}))::int`
  const rows = await db
    .selectFrom('memories as m')
    .innerJoin('memory_reach as r', 'r.id', 'm.id')
    .select(['m.id', 'm.name', 'm.kind', 'm.project', 'm.favorite', 'm.created_at as created'])
    .select(['m.updated_at as updated', 'r.last_at as last_injected', 'r.times', reads.as('reads')])
    .where('m.id', 'in', [...ids])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
export type Described =
  Awaited<ReturnType<typeof describe>> extends ReadonlyMap<string, infer Row> ? Row : never
