/** What the settings ask of the database. */
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { scopeSql, type Isolation, type OwnerScope } from '../../projects/projects.ts'

export interface DatabaseRow {
  name: string
  bytes: number
  sees_log: boolean
  schema: number
  version: string
}
export const findDatabase = scopeSql<object, DatabaseRow, OwnerScope>('settings/database')
export const findLog = scopeSql<object, { bytes: number }, OwnerScope>('settings/log')
export const findSize = scopeSql<object, { passages: number; asked: number }, OwnerScope>(
  'settings/size',
)

export interface HookRow {
  hook: string
  /** RFC 3339; null: never. */
  answered_at: string | null
  failed_at: string | null
  cause: string
}
export interface ClientRow {
  client: string
  at: Date
  /** Sessions at work. */
  live: number
  hooks: HookRow[]
  /** How many clients there are. */
  clients: number
}
export const findClients = scopeSql<{ idle: number; most: number }, ClientRow, OwnerScope>(
  'settings/hooks',
)

export interface ConnectionRow {
  client: string
  connections: number
  at: Date
  version: string
  /** How many programs there are. */
  programs: number
}
export const findConnections = scopeSql<{ most: number }, ConnectionRow, OwnerScope>(
  'settings/connections',
)

/** What the configuration file says of families and places, as lists of one length. */
interface Configured {
  places: string[]
  mapped: string[]
}

export interface WorkspaceRow {
  slug: string
  name: string
  description: string
  isolation: Isolation
  parent: string | null
  registered: Date
  retired: Date | null
  families: string[]
  /** Twenty at most. */
  repos: string[]
  places: number
}
export const findWorkspaces = scopeSql<
  Configured & { families: string[]; members: string[]; most: number; skip: number },
  WorkspaceRow,
  OwnerScope
>('settings/workspaces')

export interface RouteRow {
  place: string
  project: string
  registered: boolean
  /** How many there are. */
  places: number
}
export const findRoutes = scopeSql<
  Configured & { unbound: boolean; most: number },
  RouteRow,
  OwnerScope
>('settings/routes')

export interface OptionRow {
  slug: string
  name: string
  retired: boolean
  projects: number
}
export const findOptionsOfFamilies = scopeSql<
  { levels: readonly string[]; chosen: readonly string[]; most: number },
  OptionRow,
  OwnerScope
>('settings/options')

export interface KeptRow {
  trials: number
  labs: number
  events: Record<string, number>
}
export const findKept = scopeSql<{ kinds: string[] }, KeptRow, OwnerScope>('settings/kept')

/** The files that cannot be read, and how many they are. */
export async function findUnreadable(
  db: Db,
  most: number,
): Promise<{ problems: { path: string; problem: string }[]; count: number }> {
  const rows = await db
    .selectFrom('files')
    .select(['path', 'problem'])
    .select((eb) => eb.fn.countAll<number>().over().as('count'))
    .where('problem', 'is not', null)
    .orderBy('path')
    .limit(most)
    .execute()
  const problems = rows.map(({ path, problem }) => ({ path, problem: problem ?? '' }))
  return { problems, count: Number(rows[0]?.count ?? 0) }
}

/** Slugs of projects, the first ones in their order. */
export async function findProjectSlugs({ db }: Kernel, most: number): Promise<string[]> {
  const rows = await db.selectFrom('projects').select('slug').orderBy('slug').limit(most).execute()
  return rows.map(({ slug }) => slug)
}

export async function countProjects({ db }: Kernel): Promise<number> {
  const { n } = await db
    .selectFrom('projects')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return Number(n)
}
