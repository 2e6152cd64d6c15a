/** What the log holds of agents at work. */
import { sql } from 'kysely'
import { eventKinds } from '../../event-kinds.ts'
import type { FeedEvent } from '../../kernel/feed.ts'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, scopeSql, type OwnerScope } from '../../projects/projects.ts'
import type { Place } from './asked.ts'

/** The kinds of which some or all stand in the feed. */
export const INTERACTION_KINDS: readonly string[] = [...eventKinds.values()]
  .filter(({ look }) => look.interaction !== undefined)
  .map(({ name }) => name)

/** How many events are looked at for one page, those included that have no row. */
export const PAGE_EVENTS = 200

export interface Between {
  after?: Date
  /** What stands at this place is left out. */
  before?: Place
  since?: Place
}

/** The newest events of these kinds between two places, newest first. */
export function findEvents(
  db: Db,
  owner: OwnerScope,
  { after, before, since }: Between,
): Promise<FeedEvent[]> {
  checkOwner(owner)
  return db
    .selectFrom('events')
    .select(['id', 'ts', 'kind', 'session_id', 'project', 'item_id', 'payload', 'tx'])
    .where('kind', 'in', [...INTERACTION_KINDS])
    .$if(after !== undefined, (found) => found.where('ts', '>=', after!))
    .$if(before !== undefined, (found) =>
      found
        .where('ts', '<=', before!.ts)
        .where(sql<boolean>`(ts, id) < (${before!.ts}::timestamptz, ${before!.id})`),
    )
    .$if(since !== undefined, (found) =>
      found
        .where('ts', '>=', since!.ts)
        .where(sql<boolean>`(ts, id) > (${since!.ts}::timestamptz, ${since!.id})`),
    )
    .orderBy('ts', 'desc')
    .orderBy('id', 'desc')
    .limit(PAGE_EVENTS)
    .execute() as Promise<FeedEvent[]>
}

export async function timeOf(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select loam_now() as now`.execute(db)
  return rows[0]!.now
}

export interface VolumeRow {
  bucket: number
  category: 'tool' | 'inject' | 'session' | 'plan' | 'prompt'
  n: number
  latest: string
  counted: number
  since: Date
  began: Date
}

interface VolumeParams {
  after: Date | null
  until: Date
  buckets: number
  most: number
  kinds: readonly string[]
}

const volume = scopeSql<VolumeParams, VolumeRow, OwnerScope>('interactions/volume')

/** In as many spans of equal length; `after` is null for all that the log holds. */
export function countVolume(
  db: Db,
  owner: OwnerScope,
  span: { after: Date | null; until: Date; buckets: number; most: number },
): Promise<VolumeRow[]> {
  return volume(db, owner, { ...span, kinds: INTERACTION_KINDS })
}
