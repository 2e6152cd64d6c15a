import type { Kernel } from '../kernel/kernel.ts'
import { readable, refuseUnwritable, writable, type Scope } from '../projects/projects.ts'

/** Sets or clears the star of a session, by id or name. No sign of life, and nothing revives. */
export async function starSession(
  { db }: Kernel,
  scope: Scope,
  named: string,
  favorite: boolean,
): Promise<{ id: string; project: string }> {
  const session = await db
    .selectFrom('sessions')
    .select(['id', 'project'])
    .select([
      readable(scope, 'sessions.project').as('readable'),
      writable(scope, 'sessions.project').as('writable'),
    ])
    .where((or) => or.or([or('id', '=', named), or('name', '=', named)]))
    .orderBy((order) => order('id', '=', named), 'desc')
    .executeTakeFirst()
  refuseUnwritable(scope, session, `session ${JSON.stringify(named)}`)
  await db.updateTable('sessions').set({ favorite }).where('id', '=', session.id).execute()
  return { id: session.id, project: session.project }
}
