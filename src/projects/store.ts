import { sql } from 'kysely'
import { newId } from '../kernel/id.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { projectPath } from './file.ts'
import type { Level, Place } from './isolation.ts'
import type { Project } from './project.ts'

const PROJECT = ['id', 'slug', 'name', 'description', 'isolation'] as const

/** The level of a project; the global scope and unregistered slugs are open. */
export async function findPlace(db: Db, slug: string): Promise<Place & { registered: boolean }> {
  const row = await db
    .selectFrom('projects')
    .select('isolation')
    .where('slug', '=', slug)
    .executeTakeFirst()
  const isolation = (row?.isolation ?? 'open') as Level
  return { project: slug, isolation, registered: row !== undefined }
}

export async function findProject(db: Db, slug: string): Promise<Project | undefined> {
  const row = await db
    .selectFrom('projects')
    .select(PROJECT)
    .where('slug', '=', slug)
    .executeTakeFirst()
  return row as Project | undefined
}

/** How the problem of a file begins that everybody could read where it lies now, and not where it lay before. */
export const FROM_A_FENCE = 'it comes from behind a fence'

/**
 * Why a project without a row may not be registered as an open one: its file, which says how closed it is, cannot be
 * understood, or what lies in its folder comes from behind a fence. Words for the owner and for callers; undefined when
 * it may.
 */
export async function openProblem(db: Db, slug: string): Promise<string | undefined> {
  const { rows } = await sql<{ own: boolean }>`
    select path = ${projectPath(slug)} as own from files
    where problem is not null and (
      path = ${projectPath(slug)}
      or (split_part(path, '/', 2) = ${slug} and starts_with(problem, ${FROM_A_FENCE}))
    )
    order by own desc limit 1`.execute(db)
  const [found] = rows
  if (!found) return undefined
  return found.own
    ? `the file ${projectPath(slug)} of its project cannot be understood; mend it first`
    : `what lies in the folders of project "${slug}" comes from behind a fence; create the project with an ` +
        'isolation first'
}

/** Every project, retired ones included, by slug. The global scope is not one of them. */
export async function listProjects(db: Db): Promise<Project[]> {
  return (await db.selectFrom('projects').select(PROJECT).orderBy('slug').execute()) as Project[]
}

export async function listKnownSlugs(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('projects')
    .select('slug')
    .where('retired_at', 'is', null)
    .orderBy('slug')
    .execute()
  return rows.map((row) => row.slug)
}

/** The slug of the project with this id. */
export async function findProjectById(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('projects').select('slug').where('id', '=', id).executeTakeFirst()
  return row?.slug
}

export type ProjectDraft = Omit<Project, 'id'> & { id?: string }

/** False when the slug is taken: two that race for it make one project. */
export async function insertProject(kernel: Kernel, draft: ProjectDraft): Promise<boolean> {
  const result = await kernel.db
    .insertInto('projects')
    .values({ ...draft, id: draft.id ?? newId(kernel.clock.now()) })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Inserts the project with its own id; false when the slug belongs to another id. Repeatable. */
export async function insertOwnProject(db: Db, project: Project): Promise<boolean> {
  const result = await db
    .insertInto('projects')
    .values(project)
    .onConflict((conflict) =>
      conflict
        .column('slug')
        .doUpdateSet({ name: project.name })
        .where('projects.id', '=', project.id),
    )
    .executeTakeFirst()
  return result.numInsertedOrUpdatedRows === 1n
}

/** Brings a project's row in line with its file, which is the truth. Stars and parents stay. */
export async function adoptProject(db: Db, { slug, ...said }: Project): Promise<void> {
  await db
    .insertInto('projects')
    .values({ slug, ...said })
    .onConflict((conflict) =>
      conflict
        .column('slug')
        .doUpdateSet({ ...said, updated_at: sql<Date>`loam_now()` })
        .where(
          sql<boolean>`(projects.id, projects.name, projects.description, projects.isolation)
            is distinct from (excluded.id, excluded.name, excluded.description, excluded.isolation)`,
        ),
    )
    .execute()
}
