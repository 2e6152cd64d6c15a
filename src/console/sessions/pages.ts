/** Which sessions a page of the list shows, state by state, and how many there are in each. */
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import type { OwnerScope } from '../../projects/projects.ts'
import { CALLED } from './called.ts'
import { matching, rowsOf, STATES, STATUSES, type Filter, type State } from './queries.ts'

const WANTED: Record<(typeof STATUSES)[number], readonly State[]> = {
  active: ['live', 'idle'],
  idle: ['idle'],
  completed: ['completed'],
  expired: ['expired'],
}

const wanted = (status: Filter['status']): readonly State[] => (status ? WANTED[status] : STATES)

/** The place of a session's state among STATES, from 1 on: a number is compared in less time than its name. */
const rankOf = (idleMinutes: number): RawBuilder<number> => sql<number>`case s.status
  when 'completed' then 3 when 'expired' then 4
  else case when s.updated_at < loam_now() - coalesce(s.idle_minutes, ${idleMinutes}) * interval '1 minute' then 2
    else 1 end end`

/**
 * One page of the list, state by state, and how many match in each state, whichever was asked for. In its turn a session
 * is idle after so many minutes of silence.
 */
export async function pageOf(
  db: Db,
  owner: OwnerScope,
  filter: Filter,
  idleMinutes: number,
): Promise<{ ids: string[]; counts: Record<State, number> }> {
  const isLookedThrough = filter.q !== '' || filter.retained !== undefined || filter.sort === 'name'
  const { ids, counts } = isLookedThrough
    ? await lookThrough(db, owner, filter, idleMinutes)
    : await lookAtNewest(db, owner, filter, idleMinutes)
  const counted = STATES.map((state, at) => [state, counts[at + 1] ?? 0])
  return { ids, counts: Object.fromEntries(counted) as Record<State, number> }
}

interface Looked {
  ids: string[]
  /** By rank. */
  counts: Record<number, number>
}

const ranksOf = ({ status }: Filter): number[] =>
  wanted(status).map((state) => STATES.indexOf(state) + 1)

/** All that match, once. */
async function lookThrough(
  db: Db,
  owner: OwnerScope,
  filter: Filter,
  idleMinutes: number,
): Promise<Looked> {
  const byName = filter.sort === 'name'
  const most = rowsOf(filter)
  const found = matching(db, owner, filter)
    .select(['s.id', 's.updated_at', rankOf(idleMinutes).as('rank')])
    .$if(byName, (found) => found.select(sql`lower(${CALLED})`.as('name')))
  const { rows } = await sql<Looked>`
    with found as materialized (${found})
    select array(
        select id from found where rank = any (${ranksOf(filter)}::int[])
        order by rank, ${byName ? sql`name,` : sql``} updated_at desc, id
        limit ${most} offset ${(filter.page - 1) * most}::int
      ) as ids,
      (select coalesce(jsonb_object_agg(rank, n), '{}')
        from (select rank, count(*)::int as n from found group by rank) each) as counts`.execute(db)
  return rows[0]!
}

/** Where the newest are found by themselves, all are counted and no more of them read than are shown. */
async function lookAtNewest(
  db: Db,
  owner: OwnerScope,
  filter: Filter,
  idleMinutes: number,
): Promise<Looked> {
  const most = rowsOf(filter)
  const inOrder = (status: string) =>
    matching(db, owner, filter)
      .select('s.id')
      .where('s.status', '=', status)
      .orderBy('s.updated_at', 'desc')
      .orderBy('s.id')
  const newest = (status: string) =>
    inOrder(status)
      .limit(filter.page * most)
      .execute()
  const [active, completed, expired, counted] = await Promise.all([
    inOrder('active').select(rankOf(idleMinutes).as('rank')).execute(),
    newest('completed'),
    newest('expired'),
    matching(db, owner, filter)
      .select(['s.status', sql<number>`count(*)::int`.as('n')])
      .groupBy('s.status')
      .execute(),
  ])
  const [live, idle] = [1, 2].map((wanted) => active.filter(({ rank }) => rank === wanted))
  const byRank = [live!, idle!, completed, expired]
  const ids = ranksOf(filter).flatMap((rank) => byRank[rank - 1]!.map(({ id }) => id))
  const of = (wanted: string) => counted.find(({ status }) => status === wanted)?.n ?? 0
  return {
    ids: ids.slice((filter.page - 1) * most, filter.page * most),
    counts: { 1: live!.length, 2: idle!.length, 3: of('completed'), 4: of('expired') },
  }
}

export const wantedOf = (counts: Record<State, number>, status: Filter['status']): number =>
  wanted(status).reduce((sum, state) => sum + counts[state], 0)
