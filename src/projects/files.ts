/** Where the files of items lie: `<root>/<project or _global>/<slug>.md`. */
import { textOf } from '../text/frontmatter.ts'
import { isId } from '../kernel/id.ts'
import { slugify } from '../text/slug.ts'
import { Unreadable } from '../vault/vault.ts'

export const itemPath = (root: 'notes' | 'memory', project: string, slug: string): string =>
  `${root}/${project || '_global'}/${slug}.md`

/** What a path says of its item; '' is the global scope. Throws Unreadable, which says how to mend it. */
export function placeOf(path: string): { project: string; slug: string } {
  const [, directory = '', file = ''] = path.split('/')
  const slug = file.slice(0, -'.md'.length)
  if (slugify(slug) !== slug) {
    throw new Unreadable(`its name is not a slug; rename it to ${slugify(slug)}.md`)
  }
  if (directory === '_global') return { project: '', slug }
  if (slugify(directory) !== directory) {
    throw new Unreadable(`its directory is not a project slug; rename it to ${slugify(directory)}`)
  }
  return { project: directory, slug }
}

/** The id that the head of a file says. Throws Unreadable. */
export function idOf(head: Record<string, unknown>): string {
  const id = textOf(head, 'id')
  if (id === '') throw new Unreadable('its head has no "id"')
  if (!isId(id)) throw new Unreadable('its "id" is not a ULID')
  return id
}
