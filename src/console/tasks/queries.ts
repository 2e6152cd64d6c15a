import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import type { NamedItem } from '../screen.ts'

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
