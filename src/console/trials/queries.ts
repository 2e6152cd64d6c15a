/** What the owner sees of trials. Past every fence; looking leaves no event. */
import { sql, type SqlBool } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import type { NamedItem } from '../screen.ts'
import { someContain } from '../some-contain.ts'
import { OUTCOMES, type Tally } from './tally.ts'

export interface Filter {
  /** Part of a title, a lab, an outcome or one of the texts; or an id. */
  q: string
  /** Exactly these; '' is any. */
  lab: string
  outcome: string
  /** As which the outcome counts. */
  tally?: Tally | undefined
  /** '' is the global scope; null: any. */
  project: string | null
}

/** Rows of a page of the list. */
export const PAGE_ROWS = 200
/** Labs and outcomes that a menu names, the most recent and the most frequent. */
const MENU_ROWS = 30

function matching(db: Db, owner: OwnerScope, { q, lab, outcome, tally, project }: Filter) {
  checkOwner(owner)
  return db
    .selectFrom('trials as t')
    .$if(lab !== '', (found) => found.where('t.lab', '=', lab))
    .$if(outcome !== '', (found) => found.where('t.outcome', '=', outcome))
    .$if(tally === 'other', (found) => found.where('t.outcome', 'not in', [...OUTCOMES]))
    .$if(tally !== undefined && tally !== 'other', (found) => found.where('t.outcome', '=', tally!))
    .$if(project !== null, (found) => found.where('t.project', '=', project!))
    .$if(q !== '', (found) =>
      found.where((t) =>
        t.or([
          someContain(
            ['title', 'lab', 'outcome', 'changes', 'expected', 'actual'].map((column) =>
              sql.ref(`t.${column}`),
            ),
            q,
          ),
          t('t.id', '=', q.toUpperCase()),
        ]),
      ),
    )
}

export interface Found {
  ids: string[]
  count: number
  /** Of each lab that has a row on the page, how many match. */
  labs: Record<string, number>
}

/** One page of the trials that match, the newest first, and how many do. */
export async function pageOf(
  db: Db,
  owner: OwnerScope,
  { page, ...filter }: Filter & { page: number },
): Promise<Found> {
  const found = matching(db, owner, filter).select(['t.id', 't.lab', 't.created_at'])
  const { rows } = await sql<Found>`
    with found as materialized (${found}),
      page as materialized (
        select id, lab, created_at from found order by created_at desc, id desc
        limit ${PAGE_ROWS} offset ${(page - 1) * PAGE_ROWS}::int
      )
    select array(select id from page order by created_at desc, id desc) as ids,
      (select count(*)::int from found) as count,
      (select coalesce(jsonb_object_agg(lab, n), '{}') from (
        select lab, count(*)::int as n from found where lab in (select lab from page) group by lab
      ) each) as labs`.execute(db)
  return rows[0]!
}

export interface Counted {
  value: string
  count: number
}

/** The outcomes of those that match, whichever is asked for, the most frequent first. */
export async function outcomesOf(db: Db, owner: OwnerScope, filter: Filter): Promise<Counted[]> {
  return matching(db, owner, { ...filter, outcome: '', tally: undefined })
    .select(['t.outcome as value', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('t.outcome')
    .orderBy('count', 'desc')
    .orderBy('value')
    .limit(MENU_ROWS)
    .execute()
}

/** The labs of those that match, whichever is asked for, the one with the newest trial first. */
export async function labsOf(db: Db, owner: OwnerScope, filter: Filter): Promise<Counted[]> {
  return matching(db, owner, { ...filter, lab: '' })
    .select(['t.lab as value', (eb) => eb.fn.countAll<number>().as('count')])
    .groupBy('t.lab')
    .orderBy((eb) => eb.fn.max('t.created_at'), 'desc')
    .orderBy('value')
    .limit(MENU_ROWS)
    .execute()
}

/** The projects that have trials, '' for the global scope. */
export async function projectsOf(db: Db, owner: OwnerScope): Promise<string[]> {
  checkOwner(owner)
  const rows = await db
    .selectFrom('trials')
    .select('project')
    .distinct()
    .orderBy('project')
    .execute()
  return rows.map(({ project }) => project)
}

const COLUMNS = [
  't.id',
  't.lab',
  't.title',
  't.outcome',
  't.project',
  't.favorite',
  't.metrics',
  't.session_id',
  't.created_at as created',
] as const

/** Trials as lists name them, in the order of the ids. */
export async function listTrials(db: Db, owner: OwnerScope, ids: readonly string[]) {
  checkOwner(owner)
  return db
    .selectFrom('trials as t')
    .select(COLUMNS)
    .where('t.id', '=', sql<string>`any (${[...ids]}::text[])`)
    .orderBy(sql`array_position(${[...ids]}::text[], t.id)`)
    .execute()
}
export type TrialRow = Awaited<ReturnType<typeof listTrials>>[number]

/** The newest trials of a lab. */
export async function newestOf(
  db: Db,
  owner: OwnerScope,
  lab: string,
  most: number,
): Promise<string[]> {
  checkOwner(owner)
  const rows = await db
    .selectFrom('trials')
    .select('id')
    .where('lab', '=', lab)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
  return rows.map(({ id }) => id)
}

/** One trial whole; undefined: there is none with this id. */
export function readTrial(db: Db, owner: OwnerScope, id: string) {
  checkOwner(owner)
  return db
    .selectFrom('trials as t')
    .select(COLUMNS)
    .select(['t.changes', 't.expected', 't.actual'])
    .where('t.id', '=', id)
    .executeTakeFirst()
}
export type WholeTrial = NonNullable<Awaited<ReturnType<typeof readTrial>>>

interface Place {
  id: string
  lab: string
  created: Date
}

/** The next trials of the same lab before and after one, each the nearest first. */
export async function besideOf(
  db: Db,
  owner: OwnerScope,
  { id, lab, created }: Place,
  most: number,
) {
  checkOwner(owner)
  const next = (direction: 'before' | 'after') => {
    const [sign, order] = direction === 'before' ? ['<', 'desc' as const] : ['>', 'asc' as const]
    return db
      .selectFrom('trials as t')
      .select(COLUMNS)
      .where('t.lab', '=', lab)
      .where(sql<SqlBool>`(t.created_at, t.id) ${sql.raw(sign)} (${created}::timestamptz, ${id})`)
      .orderBy('t.created_at', order)
      .orderBy('t.id', order)
      .limit(most)
      .execute()
  }
  const [before, after] = await Promise.all([next('before'), next('after')])
  return { before, after }
}

/** Looks back through so many trials of a lab for what a figure was before. */
const LOOKED_BACK = 200

export interface Earlier {
  key: string
  id: string
  value: unknown
}

/** Of each of these figures its last value in an earlier trial of the same lab. */
export async function earlierFigures(
  db: Db,
  owner: OwnerScope,
  { id, lab, created }: Place,
  keys: readonly string[],
): Promise<Earlier[]> {
  checkOwner(owner)
  if (keys.length === 0) return []
  const { rows } = await sql<Earlier>`
    with earlier as materialized (
      select id, created_at, metrics from trials
      where lab = ${lab} and (created_at, id) < (${created}::timestamptz, ${id})
      order by created_at desc, id desc limit ${LOOKED_BACK}
    )
    select distinct on (m.key) m.key, e.id, m.value
    from earlier e cross join lateral jsonb_each(e.metrics) m
    where m.key = any (${[...keys]}::text[])
    order by m.key, e.created_at desc, e.id desc`.execute(db)
  return rows
}

export function findTrialNames(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<NamedItem[]> {
  checkOwner(owner)
  return db
    .selectFrom('trials')
    .select(['id', 'title as name', 'project'])
    .select(sql<string>`left(actual, 1000)`.as('description'))
    .where('id', 'in', [...ids])
    .execute()
}
