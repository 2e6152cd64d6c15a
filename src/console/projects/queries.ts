import { sql } from 'kysely'
import { eventKinds } from '../../event-kinds.ts'
import type { FeedEvent } from '../../kernel/feed.ts'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { MEMORY_KINDS } from '../../memories/memories.ts'
import { checkOwner, scopeSql, type OwnerScope } from '../../projects/projects.ts'
import { containing } from '../../text/like.ts'
import type { VolumeRow } from '../interactions/queries.ts'
import type { SearchHit, SearchQuestion } from '../screen.ts'

export interface WorkRow {
  slug: string
  notes: number
  open_tasks: number
  /** Of the open ones. */
  blocked: number
  sessions: number
  /** Of the sessions: heard within the idle threshold. */
  working: number
  last_active: Date | null
  tokens: number
}
export const readWork = scopeSql<{ slug: string | null; idle: number }, WorkRow, OwnerScope>(
  'projects/work',
)

interface LastParams {
  project: string
  kinds: readonly string[]
  most: number
  after: Date | null
  until: Date | null
}
const lastEvents = scopeSql<LastParams & { transport: boolean }, FeedEvent, OwnerScope>(
  'projects/last_events',
)

/** The last events of these kinds in a project, newest first: of all that are kept, or of a stretch of time. */
export const findLastEvents = (
  db: Db,
  owner: OwnerScope,
  { kinds, ...params }: Omit<LastParams, 'after' | 'until'> & Partial<LastParams>,
): Promise<FeedEvent[]> =>
  lastEvents(db, owner, {
    ...{ after: null, until: null, kinds, ...params },
    transport: kinds.some((kind) => eventKinds.get(kind)?.transport),
  })

interface VolumeParams {
  project: string
  after: Date | null
  until: Date
  buckets: number
  most: number
  kinds: readonly string[]
}
export const countVolumeOf = scopeSql<VolumeParams, VolumeRow, OwnerScope>('projects/volume')

interface TrendParams {
  project: string
  unit: 'hour' | 'day'
  zone: string
  since: Date | null
}
/** How often its memories were put before agents, hour by hour or day by day. */
export const findInjected = scopeSql<
  TrendParams,
  { since: Date; label: string; count: number },
  OwnerScope
>('projects/injected')

export const findKept = scopeSql<
  { project: string; since: Date | null; before: Date | null },
  Record<'total' | 'covered' | 'total_before' | 'covered_before', number>,
  OwnerScope
>('projects/kept')

/** Active memories of a project by kind, in the order in which kinds are always named. */
export async function countKinds(db: Db, owner: OwnerScope, project: string) {
  checkOwner(owner)
  const rows = await db
    .selectFrom('memories')
    .select(['kind', (eb) => eb.fn.countAll<number>().as('n')])
    .where('project', '=', project)
    .where('invalid_at', 'is', null)
    .groupBy('kind')
    .execute()
  return MEMORY_KINDS.flatMap((kind) => rows.filter((row) => row.kind === kind))
}

/** The slugs of the projects whose parent it is. */
export async function childrenOf(db: Db, owner: OwnerScope, project: string): Promise<string[]> {
  checkOwner(owner)
  const rows = await db
    .selectFrom('projects')
    .select('slug')
    .where('parent_slug', '=', project)
    .orderBy('slug')
    .execute()
  return rows.map(({ slug }) => slug)
}

/** Projects whose slug or name holds the text; an exact slug first. */
export async function searchProjects(
  { db }: Kernel,
  owner: OwnerScope,
  { query, limit }: SearchQuestion,
): Promise<SearchHit[]> {
  checkOwner(owner)
  const asked = query.toLowerCase()
  const pattern = containing(query)
  const rows = await db
    .selectFrom('projects')
    .select(['slug', 'name', 'description', 'favorite'])
    .where((project) =>
      project.or([
        sql<boolean>`slug collate "default" ilike ${pattern}`,
        project('name', 'ilike', pattern),
      ]),
    )
    .orderBy((eb) => eb('slug', '=', asked), 'desc')
    .orderBy('slug')
    .limit(limit)
    .execute()
  return rows.map(({ slug, name, description, favorite }) => ({
    id: slug,
    title: name,
    identifier: slug,
    project: slug,
    description,
    ...(favorite && { favorite: true as const }),
    ...matchOf(slug, asked),
  }))
}

function matchOf(slug: string, asked: string): Pick<SearchHit, 'matchKind'> {
  if (slug === asked) return { matchKind: 'exact_identifier' }
  return slug.includes(asked) ? { matchKind: 'identifier' } : {}
}
