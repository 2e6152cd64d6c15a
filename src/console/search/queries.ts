import type { Db } from '../../kernel/kernel.ts'

export interface FoundProject {
  id: string
  name: string
  title: string
  description: string
  project: string
  /** The notes of the project: where it can be looked at. */
  href: string
}

/** Projects whose slug or name holds the text; an exact slug first. */
export async function findProjects(db: Db, q: string, limit: number): Promise<FoundProject[]> {
  const pattern = `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'slug', 'name', 'description'])
    .where((project) =>
      project.or([project('slug', 'ilike', pattern), project('name', 'ilike', pattern)]),
    )
    .orderBy((eb) => eb('slug', '=', q.toLowerCase()), 'desc')
    .orderBy('slug')
    .limit(limit)
    .execute()
  return rows.map(({ id, slug, name, description }) => ({
    id,
    name: slug,
    title: name,
    description,
    project: slug,
    href: `/console/search?q=${encodeURIComponent(slug)}&scope=notes`,
  }))
}
