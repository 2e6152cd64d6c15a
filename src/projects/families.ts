/** Families: projects that see each other in their briefings. Stored ones override configured ones. */
import { sql } from 'kysely'
import { record } from '../kernel/events.ts'
import { NOBODY, type Db, type Kernel } from '../kernel/kernel.ts'
import { conflict, forbidden, invalid, notFound } from '../kernel/refusal.ts'
import { slugify } from '../text/slug.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { familiesChanged } from './events.ts'
import { isFenced, type Isolation } from './isolation.ts'
import { meant, parseProject } from './slugs.ts'

export interface Family {
  family: string
  /** Slugs, sorted. */
  projects: string[]
}

/** A family with where it stands: in the store, or in the configuration file alone. */
export interface StandingFamily extends Family {
  from: 'store' | 'file'
}

/** Every family, by name. */
export async function listFamilies({ db, config }: Kernel): Promise<StandingFamily[]> {
  const rows = await db.selectFrom('families').select(['family', 'project']).execute()
  const stored = Map.groupBy(rows, ({ family }) => family)
  const configured = Object.entries(config.project_families).filter(
    ([family, projects]) => projects.length > 0 && !stored.has(family),
  )
  const families: StandingFamily[] = [
    ...[...stored].map(([family, members]) => ({
      family,
      projects: members.map(({ project }) => project).sort(),
      from: 'store' as const,
    })),
    ...configured.map(([family, projects]) => ({
      family,
      projects: [...new Set(projects)].sort(),
      from: 'file' as const,
    })),
  ]
  return families.sort((a, b) => (a.family < b.family ? -1 : 1))
}

/** The other projects of the families that the project is in, sorted. Fences are not judged here. */
export async function siblingsOf(kernel: Kernel, project: string): Promise<string[]> {
  const families = await listFamilies(kernel)
  const own = families.filter(({ projects }) => projects.includes(project))
  const others = own.flatMap(({ projects }) => projects).filter((slug) => slug !== project)
  return [...new Set(others)].sort()
}

/**
 * Adds projects to a family, and makes a new one. A fenced project joins none. Returns those of the slugs
 * that no project has yet.
 */
export async function addToFamily(
  kernel: Kernel,
  by: string,
  { family: name, projects: given }: Family,
): Promise<{ family: string; unregistered: string[] }> {
  const family = familyName(name)
  const projects = given.map(familyMember)
  if (projects.length === 0) throw invalid('name the projects that join the family')
  return changing(kernel, async (kernel, families) => {
    const unregistered = await refuseFenced(kernel.db, projects)
    const standing = families.find((each) => each.family === family)
    const members = new Set([...(standing?.projects ?? []), ...projects])
    if (members.size > (standing?.projects.length ?? 0)) await put(kernel, by, family, members)
    return { family, unregistered }
  })
}

export interface Removal {
  family: string
  /** How many projects left. */
  removed: number
  /** Nobody is left in it. */
  ended: boolean
  /** It has ended, and the one of that name in the configuration file counts again. */
  back: boolean
}

/** Takes projects out of a family. With an empty list, or without anybody left, the family ends. */
export async function removeFromFamily(
  kernel: Kernel,
  by: string,
  { family: name, projects: given }: Family,
): Promise<Removal> {
  const family = familyName(name)
  const projects = given.map(familyMember)
  return changing(kernel, async (kernel, families) => {
    const { projects: members, from } = standing(families, family)
    const rest = projects.length === 0 ? [] : members.filter((one) => !projects.includes(one))
    if (rest.length === 0 && from === 'file') throw standsInFile(family)
    if (rest.length < members.length) await put(kernel, by, family, rest)
    const ended = rest.length === 0
    const back = ended && Object.hasOwn(kernel.config.project_families, family)
    return { family, removed: members.length - rest.length, ended, back }
  })
}

/**
 * Makes a family of exactly these projects, or gives one that stands another name and other members. Who joins is
 * registered and not fenced; who is a member already may stay.
 */
export async function saveFamily(
  kernel: Kernel,
  by: string,
  { family: name, was: former, projects: given }: Family & { was?: string | undefined },
): Promise<{ family: string; made: boolean }> {
  const family = familyName(name)
  const was = former === undefined ? undefined : familyName(former)
  const projects = [...new Set(given.map(familyMember))]
  if (projects.length === 0) throw invalid('a family has one project at least: choose its members')
  return changing(kernel, async (kernel, families) => {
    const before = was === undefined ? undefined : standing(families, was)
    const isRenamed = was !== undefined && family !== was
    if (family !== was && families.some((each) => each.family === family))
      throw conflict(`there is a family "${family}" already`)
    const joining = projects.filter((project) => !before?.projects.includes(project))
    const [stray] = await refuseFenced(kernel.db, joining)
    if (stray !== undefined)
      throw notFound(`project "${stray}": only one that is registered joins a family`)
    if (isRenamed && Object.hasOwn(kernel.config.project_families, was)) throw standsInFile(was)
    const isSame = before?.projects.length === projects.length && joining.length === 0
    if (isSame && !isRenamed) return { family, made: false }
    if (isRenamed) await kernel.db.deleteFrom('families').where('family', '=', was).execute()
    await put(kernel, by, family, projects, isRenamed ? was : undefined)
    return { family, made: before === undefined }
  })
}

/** Ends a family. `back`: the one of the configuration file counts again. */
export async function deleteFamily(
  kernel: Kernel,
  by: string,
  family: string,
): Promise<{ name: string; back: boolean }> {
  const { family: name, back } = await removeFromFamily(kernel, by, { family, projects: [] })
  return { name, back }
}

/** The one writer: nobody else changes a family meanwhile. */
const changing = <T>(
  kernel: Kernel,
  change: (kernel: Kernel, families: readonly StandingFamily[]) => Promise<T>,
): Promise<T> =>
  inTransaction(kernel, async (kernel) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('families of projects', 0))`.execute(
      kernel.db,
    )
    return change(kernel, await listFamilies(kernel))
  })

/** Stores who is in a family, and records that. Without anybody it ends, or is again what the file says. */
async function put(
  kernel: Kernel,
  by: string,
  family: string,
  members: Iterable<string>,
  was?: string,
): Promise<void> {
  const { db, config } = kernel
  const projects = [...members].sort()
  await db.deleteFrom('families').where('family', '=', family).execute()
  if (projects.length > 0) {
    const rows = projects.map((project) => ({ family, project }))
    await db.insertInto('families').values(rows).execute()
  }
  const now = projects.length > 0 ? projects : (config.project_families[family] ?? [])
  const payload = { family, ...(was !== undefined && { was }), members: now, by }
  await record(kernel, familiesChanged, { by: NOBODY, project: null, item: null, payload })
}

function standing(families: readonly StandingFamily[], family: string): StandingFamily {
  const found = families.find((each) => each.family === family)
  if (!found) throw notFound(`family "${family}"`)
  return found
}

const standsInFile = (family: string): Error =>
  invalid(`the family "${family}" stands in the configuration file: change it there`)

/** Refuses a fenced project. Returns those that are not registered. */
async function refuseFenced(db: Db, projects: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('projects')
    .select(['slug', 'isolation'])
    .where('slug', '=', sql<string>`any(${[...projects]}::text[])`)
    .orderBy('slug')
    .execute()
  const fenced = rows.find(({ isolation }) => isFenced({ isolation: isolation as Isolation }))
  if (fenced) {
    throw forbidden(
      `project ${fenced.slug} is ${fenced.isolation}; a fenced project joins no family`,
    )
  }
  return projects.filter((project) => !rows.some(({ slug }) => slug === project))
}

function familyName(given: string): string {
  const name = given.trim()
  if (name !== '' && slugify(name) === name) return name
  throw invalid(
    `invalid family ${JSON.stringify(name.slice(0, 100))}: lower-case letters and digits joined by ` +
      `"-"${meant(slugify(name))}`,
  )
}

function familyMember(given: string): string {
  const project = parseProject(given)
  if (project) return project
  throw invalid('a family is of projects; the global scope is none')
}
