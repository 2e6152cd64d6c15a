/** Where the files of documents lie: `<root>/<project or _global>/<name>.md`. */
import { slugify } from '../text/slug.ts'
import { Unreadable } from '../vault/vault.ts'

export const documentPath = ({ root }: { root: string }, project: string, name: string): string =>
  `${root}/${project || '_global'}/${name}.md`

/** Returns what a path says by itself; the project '' is the global scope. */
export function splitPath(path: string): { project: string; name: string } {
  const [, directory = '', file = ''] = path.split('/')
  return { project: directory === '_global' ? '' : directory, name: file.slice(0, -'.md'.length) }
}

/** The same of a path whose parts are slugs. Throws Unreadable, which says how to mend it. */
export function placeOf(path: string): { project: string; name: string } {
  const place = splitPath(path)
  const { project, name } = place
  if (slugify(name) !== name) {
    throw new Unreadable(`its name is not a slug; rename it to ${slugify(name)}.md`)
  }
  if (project !== '' && slugify(project) !== project) {
    throw new Unreadable(`its directory is not a project slug; rename it to ${slugify(project)}`)
  }
  return place
}
