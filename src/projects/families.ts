/** Families: projects that see each other in their briefings. Stored ones override configured ones. */
import type { Kernel } from '../kernel/kernel.ts'
import { forbidden, invalid, notFound } from '../kernel/refusal.ts'
import { slugify } from '../text/slug.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { isFenced } from './isolation.ts'
import { meant, parseProject } from './slugs.ts'
import { findPlace } from './store.ts'

export interface Family {
  family: string
  /** Slugs, sorted. */
  projects: string[]
}

/** Every family, by name. */
export async function listFamilies({ db, config }: Kernel): Promise<Family[]> {
  const rows = await db.selectFrom('families').select(['family', 'project']).execute()
  const members = new Map<string, Set<string>>()
  const add = (family: string, project: string): void => {
    members.set(family, (members.get(family) ?? new Set()).add(project))
  }
  for (const { family, project } of rows) add(family, project)
  for (const [family, projects] of Object.entries(config.project_families)) {
    for (const project of projects) add(family, project)
  }
  return [...members]
    .map(([family, projects]) => ({ family, projects: [...projects].sort() }))
    .sort((a, b) => (a.family < b.family ? -1 : 1))
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
  { family: name, projects: given }: Family,
): Promise<{ family: string; unregistered: string[] }> {
  const family = familyName(name)
  const projects = given.map(familyMember)
  if (projects.length === 0) throw invalid('name the projects that join the family')
  return inTransaction(kernel, async ({ db }) => {
    const unregistered: string[] = []
    for (const project of projects) {
      const { isolation, registered } = await findPlace(db, project)
      if (isFenced({ isolation })) {
        throw forbidden(`project ${project} is ${isolation}; a fenced project joins no family`)
      }
      if (!registered) unregistered.push(project)
    }
    await db
      .insertInto('families')
      .values(projects.map((project) => ({ family, project })))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return { family, unregistered }
  })
}

/** Takes projects out of a family; an empty list ends the family. Returns how many left. */
export async function removeFromFamily(
  kernel: Kernel,
  { family: name, projects: given }: Family,
): Promise<{ family: string; removed: number }> {
  const family = familyName(name)
  const configured = kernel.config.project_families[family] ?? []
  const known = (await listFamilies(kernel)).some((each) => each.family === family)
  if (!known) throw notFound(`family "${family}"`)
  const projects = given.map(familyMember)
  const fixed = projects.length === 0 ? configured : configured.filter((p) => projects.includes(p))
  if (fixed.length > 0) {
    throw invalid(
      `${fixed.join(', ')} of the family "${family}" stands in the configuration file: change it there`,
    )
  }
  let query = kernel.db.deleteFrom('families').where('family', '=', family)
  if (projects.length > 0) query = query.where('project', 'in', projects)
  const { numDeletedRows } = await query.executeTakeFirst()
  return { family, removed: Number(numDeletedRows) }
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
