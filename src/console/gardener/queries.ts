import { sql } from 'kysely'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { checkOwner, wireProject, type OwnerScope } from '../../projects/projects.ts'
import type { Bodies } from './effect.ts'

/** As much of a text as is compared, in characters. */
const LONGEST = 100_000

/** What these memories and notes say. */
export async function readBodies(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<Bodies> {
  checkOwner(owner)
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{ id: string; body: string }>`
    select id, left(body, ${LONGEST}) as body from memories where id = any(${ids}::text[])
    union all
    select id, left(body, ${LONGEST}) from notes where id = any(${ids}::text[])`.execute(db)
  return new Map(rows.map(({ id, body }) => [id, body]))
}

/** As many showings are looked through: of what is shown all day it tells a part. */
const SHOWINGS = 10_000

/** To how many sessions one of these was told within the last seven days: who would miss it. */
export async function countTold(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<number> {
  checkOwner(owner)
  if (ids.length === 0) return 0
  const { rows } = await sql<{ sessions: number }>`
    select count(distinct demand_session(e.session_id, e.payload))::int as sessions
    from (
      select event_id, ts from event_items
      where item_id = any(${ids}::text[]) and ts > loam_now() - interval '7 days'
        and class in ('read', 'recall', 'prompt', 'shown')
      order by ts desc limit ${SHOWINGS}
    ) shown join events e on e.id = shown.event_id and e.ts = shown.ts`.execute(db)
  return rows[0]?.sessions ?? 0
}

/** How many proposals wait. */
export async function countWaiting({ db }: Kernel, owner: OwnerScope): Promise<number> {
  checkOwner(owner)
  const row = await db
    .selectFrom('proposals')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('status', '=', sql.lit('pending'))
    .executeTakeFirst()
  return Number(row?.n ?? 0)
}

/** Of these proposals, those that a batch still holds, by its plan. */
export async function countOfPlans(
  db: Db,
  owner: OwnerScope,
  plans: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  checkOwner(owner)
  if (plans.length === 0) return new Map()
  const rows = await db
    .selectFrom('proposals')
    .select('plan')
    .select(({ fn }) => fn.countAll<string>().as('n'))
    .where('status', '=', sql.lit('pending'))
    .where('plan', 'in', [...plans])
    .groupBy('plan')
    .execute()
  return new Map(rows.map(({ plan, n }) => [plan, Number(n)]))
}

/** The projects that may be chosen, with the one that holds everywhere first. */
export async function projectChoices(
  db: Db,
  owner: OwnerScope,
): Promise<{ slug: string; label: string }[]> {
  checkOwner(owner)
  const rows = await db
    .selectFrom('projects')
    .select(['slug', 'name'])
    .where('retired_at', 'is', null)
    .orderBy('slug')
    .execute()
  const global = { slug: wireProject(''), label: wireProject('') }
  return [global, ...rows.map(({ slug, name }) => ({ slug, label: name || slug }))]
}
