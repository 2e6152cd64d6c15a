import { sql } from 'kysely'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { planShipped } from '../../momentum/momentum.ts'
import { checkOwner, scopeSql, type OwnerScope } from '../../projects/projects.ts'
import { containing } from '../../text/like.ts'
import type { SearchHit, SearchQuestion } from '../screen.ts'
import { addressOf } from './address.ts'

interface PlanRow {
  /** '' is the global scope. */
  project: string
  plan: string
  /** The id of the note that tells it; null when it is steps alone. */
  note: string | null
  title: string | null
  description: string
  favorite: boolean
  moved: Date
  steps: number
  done: number
}
type Params = { query: string; pattern: string; most: number }
const calledSo = scopeSql<Params, PlanRow, OwnerScope>('search/plans')

/** Plans whose slug, or the title of whose note, holds the text. */
export async function searchPlans(
  { db }: Kernel,
  owner: OwnerScope,
  { query, limit }: SearchQuestion,
): Promise<SearchHit[]> {
  const pattern = containing(query)
  const rows = await calledSo(db, owner, { query, pattern, most: limit })
  return rows.map((row) => ({
    id: row.plan,
    title: row.title ?? row.plan,
    identifier: row.plan,
    project: row.project || null,
    description: [progressOf(row), row.description].filter(Boolean).join(' · '),
    updated: row.moved,
    ...(row.favorite && { favorite: true as const }),
    href: addressOf(row),
    peek: `${addressOf(row)}&peek=1`,
    ...matchOf(row.plan, query.toLowerCase()),
  }))
}

const progressOf = ({ steps, done }: PlanRow): string =>
  steps === 0 ? '' : `${done} of ${steps} ${steps === 1 ? 'step' : 'steps'} closed`

function matchOf(slug: string, asked: string): Pick<SearchHit, 'matchKind'> {
  if (slug === asked) return { matchKind: 'exact_identifier' }
  return slug.includes(asked) ? { matchKind: 'identifier' } : {}
}

/** The projects that have plans, '' for the global scope. */
export async function planProjects(db: Db, owner: OwnerScope): Promise<string[]> {
  checkOwner(owner)
  const { rows } = await sql<{ project: string }>`
    select distinct project from task_totals where plan <> ''
    union
    select distinct project from notes where exists (
      select from unnest(tags) as tag where tag like 'plan:_%')
    order by project`.execute(db)
  return rows.map(({ project }) => project)
}

/** In the owner's zone. */
const MONTH_BEGAN = sql<Date>`date_trunc('month', loam_now() at time zone owner_zone()) at time zone owner_zone()`

/** Plans whose last step was closed in the owner's current month, while momentum was on. */
export async function shippedThisMonth({ db }: Kernel, owner: OwnerScope): Promise<number> {
  checkOwner(owner)
  const { n } = await db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('kind', '=', planShipped.name)
    .where('ts', '>=', MONTH_BEGAN)
    .executeTakeFirstOrThrow()
  return n
}
