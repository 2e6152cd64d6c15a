import type { Db } from '../../kernel/kernel.ts'
import type { FavoriteKind } from '../../favorites/favorites.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'

const TABLES = {
  memory: 'memories',
  note: 'notes',
  task: 'tasks',
  session: 'sessions',
  trial: 'trials',
} as const

/** Where an item lies and whether it is starred; undefined when there is none. A plan is in the project that is said. */
export async function findStarred(
  db: Db,
  owner: OwnerScope,
  kind: FavoriteKind,
  id: string,
  project: string,
): Promise<{ project: string; favorite: boolean } | undefined> {
  checkOwner(owner)
  switch (kind) {
    case 'plan':
      return { project, favorite: false }
    case 'project': {
      const row = await db
        .selectFrom('projects')
        .select('favorite')
        .where('slug', '=', id)
        .executeTakeFirst()
      return row && { project: id, favorite: row.favorite }
    }
    default:
      return db
        .selectFrom(TABLES[kind])
        .select(['project', 'favorite'])
        .where('id', '=', id.toUpperCase())
        .executeTakeFirst()
  }
}
