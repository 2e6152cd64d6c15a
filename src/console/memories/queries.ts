/** What the owner sees of memories. Past every fence, and no demand: looking leaves no event. */
import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { learnedModel, parseDocument } from '../../documents/documents.ts'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { memoryDocument, type MEMORY_KINDS } from '../../memories/memories.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import { Unreadable } from '../../vault/vault.ts'
import { keptAnswers } from '../kept-answers.ts'
import type { NamedItem } from '../screen.ts'
import { someContain } from '../some-contain.ts'

export const MEMORY_STATUSES = ['active', 'superseded', 'archived'] as const
export const MEMORY_SORTS = ['recent', 'name', 'reach', 'utility', 'starred'] as const

export interface MemoryFilter {
  /** Part of a name, a description, a kind or a tag. */
  q: string
  /** '' stands for every project, `global` for what holds for all of them. */
  project: string
  kind?: (typeof MEMORY_KINDS)[number]
  /** Left out: those that are believed, with those that are believed no longer behind them. */
  status?: (typeof MEMORY_STATUSES)[number]
  sort: (typeof MEMORY_SORTS)[number]
  /** From 1 on. */
  page: number
}
type Narrowed = Pick<MemoryFilter, 'q' | 'project' | 'kind' | 'status'>

/** As many rows as a rail shows at once. */
export const RAIL_ROWS = 200
/** As many of those that are believed no longer. */
const INACTIVE_ROWS = 100

const STATUS = sql<'active' | 'superseded' | 'archived'>`case
  when m.invalid_at is null then 'active' when m.superseded_by <> '' then 'superseded' else 'archived' end`

/** Statistics of a row; the clock is asked once for all of them. */
const UTILITY = sql<number>`utility(i, (select loam_now()))`

function matching(db: Db, owner: OwnerScope, { q, project, kind, status }: Narrowed) {
  checkOwner(owner)
  return db
    .selectFrom('memories as m')
    .$if(project !== '', (found) =>
      found.where('m.project', '=', project === 'global' ? '' : project),
    )
    .$if(kind !== undefined, (found) => found.where('m.kind', '=', kind!))
    .$if(status !== undefined, (found) => found.where(STATUS, '=', status!))
    .$if(q !== '', (found) =>
      found.where(
        someContain(
          [sql`m.name`, sql`m.description`, sql`m.kind`, sql`array_to_string(m.tags, ' ')`],
          q,
        ),
      ),
    )
}

/** With how each was used, as far as that is known. */
const withStats = (found: ReturnType<typeof matching>) =>
  found.leftJoin('item_stats as i', (join) =>
    join.onRef('i.id', '=', 'm.id').on('i.kind', '=', 'memory'),
  )

/** The columns of a row of the rail. */
const listed = (db: Db, owner: OwnerScope, filter: Narrowed) =>
  withStats(matching(db, owner, filter))
    .leftJoin('memories as r', (join) =>
      join.onRef('r.id', '=', 'm.superseded_by').on('m.superseded_by', '<>', ''),
    )
    .leftJoin('sessions as s', 's.id', 'm.source_session')
    .select(['m.id', 'm.kind', 'm.name', 'm.description', 'm.project', 'm.path', 'm.model'])
    .select(['m.favorite', 'm.updated_at as updated', 'i.last_injected_at as last_injected'])
    .select(['r.id as replaced_by_id', 'r.name as replaced_by', 's.external_client as harness'])
    .select(STATUS.as('status'))
    .select(sql<number>`coalesce(i.inject_count, 0)`.as('injects'))
    .select(sql<number>`coalesce(i.read_count, 0)`.as('reads'))
    .select(UTILITY.as('utility'))

const ORDERS: Record<MemoryFilter['sort'], RawBuilder<unknown>> = {
  recent: sql`m.updated_at desc, m.id`,
  name: sql`m.name, m.updated_at desc, m.id`,
  reach: sql`coalesce(i.inject_count, 0) desc, m.updated_at desc, m.id`,
  // The order of utility() by what it grows with: a function that is called for each of many rows takes long.
  utility: sql`coalesce((i.read_raw + i.recall_raw + i.prompt_raw)
    * demand_left((select loam_now()) - i.as_of), 0) desc, m.updated_at desc, m.id`,
  starred: sql`m.favorite desc, m.updated_at desc, m.id`,
}

/** Ids of the believed ones in their order. */
const believed = (db: Db, owner: OwnerScope, filter: MemoryFilter) =>
  filter.sort === 'utility'
    ? byUtility(db, owner, filter)
    : withStats(matching(db, owner, filter))
        .select('m.id')
        .where('m.invalid_at', 'is', null)
        .orderBy(ORDERS[filter.sort])

/** Few are asked for: the others follow as they were changed, and no more of them are read than are shown. */
function byUtility(db: Db, owner: OwnerScope, filter: MemoryFilter) {
  const some = () => matching(db, owner, filter).where('m.invalid_at', 'is', null)
  const wanted = sql<SqlBool>`i.kind = 'memory' and i.read_raw + i.recall_raw + i.prompt_raw > 0`
  const asked = some()
    .innerJoin('item_stats as i', 'i.id', 'm.id')
    .where(wanted)
    .where(sql<SqlBool>`m.id = any (array(select i.id from item_stats i where ${wanted}))`)
    .select(['m.id', 'm.updated_at', UTILITY.as('utility')])
  const others = some()
    .where(sql<SqlBool>`not exists (select from item_stats i where i.id = m.id and ${wanted})`)
    .select(['m.id', 'm.updated_at', sql<number>`0`.as('utility')])
    .orderBy('m.updated_at', 'desc')
    .orderBy('m.id')
    .limit(filter.page * RAIL_ROWS)
  return db
    .selectFrom(asked.unionAll((eb) => eb.parens(others)).as('m'))
    .select('m.id')
    .orderBy(sql`m.utility desc, m.updated_at desc, m.id`)
}

/** One page of those that are believed. Which they are is found first: what a row shows is looked up for these alone. */
export function listMemories(db: Db, owner: OwnerScope, filter: MemoryFilter) {
  const { sort, page } = filter
  const ids = believed(db, owner, filter)
    .limit(RAIL_ROWS)
    .offset((page - 1) * RAIL_ROWS)
  return listed(db, owner, { q: '', project: '' })
    .where('m.id', 'in', ids)
    .orderBy(ORDERS[sort])
    .execute()
}
export type ListedMemory = Awaited<ReturnType<typeof listMemories>>[number]

/** The page that holds a memory; the first one when the filter leaves it out. All are looked through for no other. */
export async function pageHolding(
  db: Db,
  owner: OwnerScope,
  filter: MemoryFilter,
  id: string,
): Promise<number> {
  const first = believed(db, owner, { ...filter, page: 1 }).limit(RAIL_ROWS)
  const ended = asksForEnded(filter)
  const order = ended ? sql`m.invalid_at desc, m.id` : ORDERS[filter.sort]
  const ranked = withStats(matching(db, owner, filter))
    .select('m.id')
    .select(sql<number>`row_number() over (order by ${order})`.as('nth'))
    .where('m.invalid_at', ended ? 'is not' : 'is', null)
  const { rows } = await sql<{ nth: number | null }>`
    select case when ${id} in (${first}) then 1
      else (select nth from (${ranked}) ranked where id = ${id}) end as nth`.execute(db)
  return Math.ceil(Number(rows[0]?.nth ?? 1) / RAIL_ROWS)
}

/**
 * Those that are believed no longer, the one that ended last first: a page of them where they are asked for, else the
 * first ones behind the believed, and the one that is open before them.
 */
export async function listInactive(
  db: Db,
  owner: OwnerScope,
  filter: MemoryFilter,
  open = '',
): Promise<ListedMemory[]> {
  const ended = listed(db, owner, filter).where('m.invalid_at', 'is not', null)
  const alone = asksForEnded(filter)
  return ended
    .$if(!alone, (found) => found.orderBy(sql`m.id = ${open}`, 'desc'))
    .orderBy('m.invalid_at', 'desc')
    .orderBy('m.id')
    .limit(alone ? RAIL_ROWS : INACTIVE_ROWS)
    .offset(alone ? (filter.page - 1) * RAIL_ROWS : 0)
    .execute()
}

/** Whether nothing else is asked for than what is believed no longer. */
export const asksForEnded = ({ status }: Pick<MemoryFilter, 'status'>): boolean =>
  status !== undefined && status !== 'active'

/** How many match in each project, whichever project was asked for. */
export function countMemories(db: Db, owner: OwnerScope, { q, kind, status }: Narrowed) {
  const asked = { q, project: '', kind, status }
  return keptAnswers(db)('memories by project', asked, () =>
    matching(db, owner, asked)
      .select('m.project')
      .select(sql<number>`(count(*) filter (where m.invalid_at is null))::int`.as('active'))
      .select(sql<number>`(count(*) filter (where m.invalid_at is not null))::int`.as('inactive'))
      .groupBy('m.project')
      .execute(),
  )
}

/** Of those that match the one that was changed last, or that ended last where nothing else than such is asked for. */
export async function latestMemory(
  db: Db,
  owner: OwnerScope,
  filter: Narrowed,
): Promise<string | undefined> {
  const ended = asksForEnded(filter)
  const row = await matching(db, owner, filter)
    .select('m.id')
    .where('m.invalid_at', ended ? 'is not' : 'is', null)
    .orderBy(ended ? 'm.invalid_at' : 'm.updated_at', 'desc')
    .orderBy('m.id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** A memory as its file says, or what is wrong with the file, and how it was used. */
export async function findMemory(kernel: Kernel, owner: OwnerScope, id: string) {
  const { db, vault } = kernel
  checkOwner(owner)
  const row = await withStats(db.selectFrom('memories as m'))
    .selectAll('m')
    .select(['i.last_injected_at as last_injected', 'i.last_read_at as last_read'])
    .select(STATUS.as('status'))
    .select(sql<number>`coalesce(i.inject_count, 0)`.as('injects'))
    .select(sql<number>`coalesce(i.read_count, 0)`.as('reads'))
    .select(UTILITY.as('utility'))
    .select(['i.read_raw', 'i.recall_raw', 'i.prompt_raw'])
    .where('m.id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { created_at: created, updated_at: updated, heading: _, uncut: __, ...rest } = row
  const indexed = { ...rest, created, updated }
  const file = await vault.read(row.path)
  if (!file) return { ...indexed, problem: 'its file is gone' }
  try {
    const { extra: _, uncut: __, ...memory } = parseDocument(memoryDocument, file)
    const model = memory.model || (await learnedModel(db, id))
    return { ...indexed, ...memory, model, content_hash: file.hash, problem: null }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { ...indexed, problem: error.message }
  }
}

export interface Neighbour {
  id: string
  name: string
  kind: string
  project: string
}

/** Nobody follows a longer chain. */
const CHAIN_ROWS = 50

/** What a memory replaced, and what those replaced; the nearest first. */
export async function predecessorsOf(
  db: Db,
  owner: OwnerScope,
  id: string,
): Promise<(Neighbour & { steps: number })[]> {
  checkOwner(owner)
  const { rows } = await sql<Neighbour & { steps: number }>`
    with recursive chain (id, steps) as (
      select m.id, 1 from memories m where m.superseded_by = ${id} and m.superseded_by <> ''
      union
      select m.id, c.steps + 1 from chain c join memories m on m.superseded_by = c.id where c.steps < ${CHAIN_ROWS}
    )
    select m.id, m.name, m.kind, m.project, c.steps
    from chain c join memories m using (id) order by c.steps, m.invalid_at desc, m.id limit ${CHAIN_ROWS}
  `.execute(db)
  return rows
}

/** What replaced a memory, and what replaced that; the last is the one that is believed. */
export async function successorsOf(
  db: Db,
  owner: OwnerScope,
  id: string,
): Promise<(Neighbour & { steps: number })[]> {
  checkOwner(owner)
  const { rows } = await sql<Neighbour & { steps: number }>`
    with recursive chain (id, next, steps) as (
      select m.id, m.superseded_by, 0 from memories m where m.id = ${id}
      union
      select m.id, m.superseded_by, c.steps + 1
      from chain c join memories m on m.id = c.next where c.steps < ${CHAIN_ROWS}
    )
    select m.id, m.name, m.kind, m.project, c.steps
    from chain c join memories m using (id) where c.steps > 0 order by c.steps
  `.execute(db)
  return rows
}

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
