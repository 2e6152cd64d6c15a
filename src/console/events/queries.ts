import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import type { FeedEvent } from '../../kernel/feed.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'

export function findEvent(db: Db, owner: OwnerScope, id: string): Promise<FeedEvent | undefined> {
  checkOwner(owner)
  return db
    .selectFrom('events')
    .select(['id', 'ts', 'kind', 'session_id', 'project', 'item_id', 'payload', 'tx'])
    .where('id', '=', id)
    .executeTakeFirst() as Promise<FeedEvent | undefined>
}

export type Neighbour = Pick<FeedEvent, 'id' | 'ts' | 'kind' | 'payload'>

/** What was recorded right before and after an event: of its session, or of the whole log when it has none. */
export async function findNeighbours(
  db: Db,
  owner: OwnerScope,
  event: FeedEvent,
): Promise<{ previous: Neighbour | null; next: Neighbour | null }> {
  const [previous, next] = await Promise.all([
    neighbour(db, owner, event, '<'),
    neighbour(db, owner, event, '>'),
  ])
  return { previous: previous ?? null, next: next ?? null }
}

function neighbour(
  db: Db,
  owner: OwnerScope,
  { id, ts, session_id }: FeedEvent,
  side: '<' | '>',
): Promise<Neighbour | undefined> {
  checkOwner(owner)
  const order = side === '<' ? 'desc' : 'asc'
  return db
    .selectFrom('events')
    .select(['id', 'ts', 'kind', 'payload'])
    .where('ts', `${side}=`, ts)
    .where(sql<boolean>`(ts, id) ${sql.raw(side)} (${ts}::timestamptz, ${id})`)
    .$if(session_id !== null, (found) => found.where('session_id', '=', session_id))
    .orderBy('ts', order)
    .orderBy('id', order)
    .limit(1)
    .executeTakeFirst() as Promise<Neighbour | undefined>
}
