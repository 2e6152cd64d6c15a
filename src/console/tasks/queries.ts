import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import type { HitDetails, NamedItem } from '../screen.ts'

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
    .where('k.status', '=', 'in_progress')
    .where('k.claimed_by', '<>', '')
    .execute()
  return new Map(
    rows.map(({ id, name, claimed_by: by }) => [id, { holder: name ?? by ?? 'a session' }]),
  )
}
