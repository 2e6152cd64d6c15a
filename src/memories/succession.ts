/** What took the place of a memory, and what it took the place of. */
import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { readable, scopeSql, type Scope } from '../projects/projects.ts'

/** A memory that stands at the end of a chain of replacements. */
export interface Successor {
  id: string
  name: string
  project: string
  /** Null while it is active. */
  invalid_at: Date | null
}

/**
 * Follows the replacements from one id to the last, however many there are. Undefined when the last one is
 * gone or behind a fence; one in between that the caller may not read is passed over.
 */
export async function successorOf(
  db: Db,
  scope: Scope,
  supersededBy: string,
): Promise<Successor | undefined> {
  // Ids alone, so that a circle made by hand ends, too.
  const { rows } = await sql<Successor>`
    with recursive chain (id) as (
      select ${supersededBy}::text collate "C"
      union
      select m.superseded_by from chain join memories m using (id) where m.superseded_by <> '')
    select m.id, m.name, m.project, m.invalid_at
    from chain join memories m using (id)
    where m.superseded_by = '' and ${readable(scope, 'm.project')}`.execute(db)
  return rows[0]
}

const MOST_REPLACED = 10

const replaced = scopeSql<{ id: string; most: number }, { name: string; project: string }>(
  'memories/replaced',
  { kept: true },
)

/** Returns the memories whose place it took directly, the latest first, as far as the caller may read them. */
export const replacedBy = (db: Db, scope: Scope, id: string) =>
  replaced(db, scope, { id, most: MOST_REPLACED })
