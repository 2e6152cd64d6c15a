/** Changes that only the owner makes to a project: its name, its parent, and its retirement. */
import { sql } from 'kysely'
import { parseDocument } from 'yaml'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { forbidden, invalid, notFound, unavailable } from '../kernel/refusal.ts'
import { lineProblem } from '../text/slug.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { Unreadable, type FileBytes } from '../vault/vault.ts'
import { listFamilies } from './families.ts'
import { parseProjectFile, projectPath, renderProject } from './file.ts'
import { isFenced, type Isolation } from './isolation.ts'
import type { Project } from './project.ts'
import type { OwnerScope } from './owner-scope.ts'
import { scopeSql } from './scope-sql.ts'
import { parseProject } from './slugs.ts'
import { adoptProject, findProject } from './store.ts'

/** A project as its owner sees it. */
export interface ProjectOverview {
  id: string
  slug: string
  name: string
  description: string
  isolation: Isolation
  /** Whose memories it inherits. */
  parent: string | null
  /** Since when it is out of use. */
  retired: Date | null
  created: Date
  memories: number
  notes: number
  /** Not closed. */
  tasks: number
  children: string[]
  /** Directories and git remotes. */
  places: string[]
}
const overview = scopeSql<{ slug: string | null }, ProjectOverview, OwnerScope>('projects/overview')

/** Every project with what it holds, retired ones included, by slug. */
export const overviewProjects = ({ db }: Kernel, owner: OwnerScope): Promise<ProjectOverview[]> =>
  overview(db, owner, { slug: null })

export async function overviewProject(
  kernel: Kernel,
  owner: OwnerScope,
  given: string,
): Promise<ProjectOverview & { families: string[] }> {
  const slug = slugOf(given)
  const [project] = await overview(kernel.db, owner, { slug })
  if (!project) throw unknown(slug)
  const families = (await listFamilies(kernel)).filter(({ projects }) => projects.includes(slug))
  return { ...project, families: families.map(({ family }) => family) }
}

/** Refuses what cannot be the name of a project: lists and pages show it on one line. */
export function refuseName(name: string): void {
  const problem = lineProblem(name)
  if (problem) throw invalid(`invalid name ${JSON.stringify(name.slice(0, 100))}: ${problem}`)
}

/** Gives a project another name for people. Its slug is what it is known by, and never changes. */
export async function renameProject(
  kernel: Kernel,
  given: string,
  newName: string,
): Promise<Project> {
  const slug = slugOf(given)
  const name = newName.trim()
  refuseName(name)
  const path = projectPath(slug)
  const { result } = await kernel.vault.write(kernel, [path], async (kernel, files) => {
    const row = await findProject(kernel.db, slug)
    if (!row) throw unknown(slug)
    const file = await files.read(path)
    // The file is the truth and may hold more than its row: its other keys stay.
    const project = { ...(file ? understood(file) : row), name }
    files.put(path, file ? renamed(file, name) : renderProject(project))
    return { result: project, rows: ({ db }) => adoptProject(db, project) }
  })
  return result
}

function understood(file: FileBytes): Project {
  try {
    return parseProjectFile(file)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw unavailable(`the file ${file.path} cannot be understood: ${error.message}; mend it first`)
  }
}

function renamed(file: FileBytes, name: string): Buffer {
  const document = parseDocument(file.bytes.toString('utf8'))
  document.set('name', name)
  return Buffer.from(document.toString({ lineWidth: 0 }))
}

/**
 * Makes a project inherit the memories of another, or of none. A fenced project neither inherits nor
 * passes on, and no project is its own ancestor.
 */
export async function setParent(
  kernel: Kernel,
  given: string,
  givenParent: string | null,
): Promise<{ slug: string; parent: string | null; before: string | null }> {
  const slug = slugOf(given)
  const parent = givenParent === null ? null : slugOf(givenParent)
  if (parent === slug) throw invalid(`project ${slug} cannot be its own parent`)
  return inTransaction(kernel, async ({ db }) => {
    const before = await giveParent(db, slug, parent)
    return { slug, parent, before }
  })
}

/** The same inside a transaction. Returns the parent that it had. */
export async function giveParent(
  db: Db,
  slug: string,
  parent: string | null,
): Promise<string | null> {
  // Two links that would close a circle together must not miss each other.
  await sql`select pg_advisory_xact_lock(hashtextextended('parents of projects', 0))`.execute(db)
  await mustBeOpen(db, slug)
  if (parent !== null) {
    await mustBeOpen(db, parent)
    const forebears = await forebearsOf(db, parent)
    if (forebears.includes(slug)) {
      throw invalid(`project ${parent} inherits from ${slug}; a circle has no beginning`)
    }
  }
  const before = await parentOf(db, slug)
  if (before !== parent) await updateProject(db, slug, { parent_slug: parent })
  return before
}

/** Takes a project out of use, or back into it. What it knows stays where it is, and readable. */
export async function setRetired(
  kernel: Kernel,
  given: string,
  retired: boolean,
): Promise<{ slug: string; changed: boolean }> {
  const slug = slugOf(given)
  return inTransaction(kernel, async ({ db }) => ({
    slug,
    changed: await retire(db, slug, retired),
  }))
}

/** The same inside a transaction. Returns whether it was otherwise. */
export async function retire(db: Db, slug: string, retired: boolean): Promise<boolean> {
  const row = await db
    .selectFrom('projects')
    .select('retired_at')
    .where('slug', '=', slug)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw unknown(slug)
  const changed = (row.retired_at !== null) !== retired
  if (changed) {
    const retired_at = retired ? sql<Date>`loam_now()` : null
    await updateProject(db, slug, { retired_at })
  }
  return changed
}

async function mustBeOpen(db: Db, slug: string): Promise<void> {
  const project = await findProject(db, slug)
  if (!project) throw unknown(slug)
  if (!isFenced(project)) return
  throw forbidden(
    `project ${slug} is ${project.isolation}; it neither inherits nor is inherited from`,
  )
}

async function parentOf(db: Db, slug: string): Promise<string | null> {
  const row = await db
    .selectFrom('projects')
    .select('parent_slug')
    .where('slug', '=', slug)
    .executeTakeFirst()
  return row?.parent_slug ?? null
}

/** The project itself, its parent, and so on up. */
async function forebearsOf(db: Db, slug: string): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`
    with recursive up as (
      select slug, parent_slug from projects where slug = ${slug}
      union
      select p.slug, p.parent_slug from projects p join up on p.slug = up.parent_slug
    )
    select slug from up`.execute(db)
  return rows.map((row) => row.slug)
}

async function updateProject(
  db: Db,
  slug: string,
  change: { parent_slug: string | null } | { retired_at: ReturnType<typeof sql<Date>> | null },
): Promise<void> {
  await db
    .updateTable('projects')
    .set({ ...change, updated_at: sql<Date>`loam_now()` })
    .where('slug', '=', slug)
    .execute()
}

function slugOf(given: string): string {
  const slug = parseProject(given)
  if (slug) return slug
  throw invalid('name a project by its slug; the global scope is none')
}

const unknown = (slug: string): Error => notFound(`project "${slug.slice(0, 200)}"`)
