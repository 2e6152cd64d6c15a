import type { Kernel } from '../../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import { containing } from '../../text/like.ts'
import type { SearchHit, SearchQuestion } from '../screen.ts'

/** Projects whose slug or name holds the text; an exact slug first. */
export async function searchProjects(
  { db }: Kernel,
  owner: OwnerScope,
  { query, limit }: SearchQuestion,
): Promise<SearchHit[]> {
  checkOwner(owner)
  const asked = query.toLowerCase()
  const pattern = containing(query)
  const rows = await db
    .selectFrom('projects')
    .select(['slug', 'name', 'description', 'favorite'])
    .where((project) =>
      project.or([project('slug', 'ilike', pattern), project('name', 'ilike', pattern)]),
    )
    .orderBy((eb) => eb('slug', '=', asked), 'desc')
    .orderBy('slug')
    .limit(limit)
    .execute()
  return rows.map(({ slug, name, description, favorite }) => ({
    id: slug,
    title: name,
    identifier: slug,
    project: slug,
    description,
    ...(favorite && { favorite: true as const }),
    // While a project has no page of its own, who worked there says most of it.
    href: `/console/sessions?project=${encodeURIComponent(slug)}&w=all`,
    ...matchOf(slug, asked),
  }))
}

function matchOf(slug: string, asked: string): Pick<SearchHit, 'matchKind'> {
  if (slug === asked) return { matchKind: 'exact_identifier' }
  return slug.includes(asked) ? { matchKind: 'identifier' } : {}
}
