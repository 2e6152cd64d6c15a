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
