import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import type { NamedItem } from '../screen.ts'

export function findMemoryNames(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<NamedItem[]> {
  checkOwner(owner)
  return db
    .selectFrom('memories')
    .select(['id', 'name as name', 'project'])
    .select('description')
    .where('id', 'in', [...ids])
    .execute()
}
