/** Which proposals a caller may know of, and decide. */
import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { readable, writable, type Scope } from '../projects/projects.ts'
import type { ProposalKind } from './kinds.ts'
import type { Proposal } from './store.ts'

/**
 * The projects that a proposal touches now, for a query that calls the table `p`: those that it names and those in
 * which its items lie. Null among them: an item is gone.
 */
const touched = sql<{ project: string | null }>`(
  select unnest(p.projects) as project
  union all
  select coalesce(m.project, n.project) from unnest(p.items) as item
    left join memories m on m.id = item left join notes n on n.id = item
) as touched`

/** Whether the caller may do so in every project that a proposal touches. What lies nowhere is closed to agents. */
const everywhere = (allowed: ReturnType<typeof readable>) =>
  sql<boolean>`not exists (
    select from ${touched} where touched.project is null or not ${allowed})`

const mayRead = (scope: Scope) => everywhere(readable(scope, 'touched.project'))

/** Those that wait and that the caller may know of, newest first, with how many there are. */
export async function listPending(
  db: Db,
  scope: Scope,
  { kind, limit }: { kind?: ProposalKind | undefined; limit: number },
): Promise<{ proposals: Proposal[]; total: number }> {
  const rows = await db
    .selectFrom('proposals as p')
    .selectAll('p')
    .select(sql<number>`(count(*) over ())::int`.as('total'))
    .where('p.status', '=', sql.lit('pending'))
    .$if(kind !== undefined, (found) => found.where('p.kind', '=', kind!))
    .where(mayRead(scope))
    .orderBy('p.created_at', 'desc')
    .orderBy('p.id', 'desc')
    .limit(limit)
    .execute()
  const total = rows[0]?.total ?? 0
  return { proposals: rows as unknown as Proposal[], total }
}

/** Whether the caller may know of it, and decide it; undefined: there is none. */
export async function reachProposal(
  db: Db,
  scope: Scope,
  id: string,
): Promise<{ readable: boolean; writable: boolean } | undefined> {
  return db
    .selectFrom('proposals as p')
    .select([
      mayRead(scope).as('readable'),
      everywhere(writable(scope, 'touched.project')).as('writable'),
    ])
    .where('p.id', '=', id)
    .executeTakeFirst()
}

/** How many of each kind wait, of those that the caller may know of. */
export async function countPending(db: Db, scope: Scope): Promise<Record<string, number>> {
  const rows = await db
    .selectFrom('proposals as p')
    .select(['p.kind', ({ fn }) => fn.countAll<string>().as('n')])
    .where('p.status', '=', sql.lit('pending'))
    .where(mayRead(scope))
    .groupBy('p.kind')
    .orderBy('p.kind')
    .execute()
  return Object.fromEntries(rows.map(({ kind, n }) => [kind, Number(n)]))
}
