import type { Db } from '../../kernel/kernel.ts'
import type { Row } from './search.ts'

/** Projects whose slug or name holds the text; an exact slug first. */
export async function findProjects(db: Db, query: string, limit: number): Promise<Row[]> {
  const pattern = `%${query.replaceAll(/[\\%_]/g, '\\$&')}%`
  const rows = await db
    .selectFrom('projects')
    .select(['slug', 'name', 'description'])
    .where((project) =>
      project.or([project('slug', 'ilike', pattern), project('name', 'ilike', pattern)]),
    )
    .orderBy((eb) => eb('slug', '=', query.toLowerCase()), 'desc')
    .orderBy('slug')
    .limit(limit)
    .execute()
  return rows.map(({ slug, name, description }) => ({
    kind: 'project',
    id: slug,
    title: name,
    identifier: slug,
    project: slug,
    description,
    href: `/console/search?q=${encodeURIComponent(slug)}&scope=notes`,
    ...matchOf(slug, query.toLowerCase()),
  }))
}

function matchOf(slug: string, asked: string): Pick<Row, 'matchKind'> {
  if (slug === asked) return { matchKind: 'exact_identifier' }
  return slug.includes(asked) ? { matchKind: 'identifier' } : {}
}
