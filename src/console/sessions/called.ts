/**
 * What a session is called: by what it does. That is the task that it claimed last, else the first line of
 * its first prompt, else that of its findings, else its directory. Its handle stands behind it.
 */
import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'

/** For a query that calls the table `s`. */
export const CALLED = sql<string>`case when s.claimed_task = '' then s.called else coalesce(
  (select nullif(first_line(t.title), '') from tasks t where t.id = s.claimed_task), s.called) end`

/** By these a session that has written something comes to be called otherwise: pages that name it are concerned. */
export const RENAMES = ['task.transition', 'session.ended']

/** A session as any page names it; `partials/session.liquid` shows it. */
export interface CalledSession {
  id: string
  called: string
  /** The handle. */
  name: string
  ambient: boolean
  external_client: string
  model: string
}

/** Returns those of the sessions that there are, by id. */
export async function calledSessions(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CalledSession>> {
  checkOwner(owner)
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('sessions as s')
    .select(['s.id', CALLED.as('called'), 's.name', 's.ambient', 's.external_client', 's.model'])
    .where('s.id', 'in', [...ids])
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}
