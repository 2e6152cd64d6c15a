import { Unreadable, type FileKind } from '../vault/vault.ts'
import { nameProblem, slugify } from '../text/slug.ts'
import { parseProjectFile } from './file.ts'
import { isReserved } from './slugs.ts'
import { adoptProject, findProjectById } from './store.ts'

/**
 * The files of projects. They come before every other file, so that no fenced project is open for a
 * moment while a lost database is built again. A file that is gone closes nothing and opens nothing.
 */
export const projectFileKind: FileKind = {
  kind: 'project',
  root: 'projects',
  extension: '.yaml',
  byProject: false,

  identify(file) {
    const { id, slug } = parseProjectFile(file)
    const problem = nameProblem(slug)
    if (problem) throw new Unreadable(`its name is no project slug: ${problem}`)
    if (isReserved(slug)) throw new Unreadable(`its name "${slug}" is reserved`)
    if (slugify(slug) !== slug) throw new Unreadable('its name is no project slug')
    return { id, updated: new Date(0) }
  },
  async pathOf() {
    return undefined
  },
  async index(kernel, file) {
    const project = parseProjectFile(file)
    const namesake = await findProjectById(kernel.db, project.id)
    if (namesake !== undefined && namesake !== project.slug) {
      throw new Unreadable(`its "id" is that of the project "${namesake}"`)
    }
    await adoptProject(kernel.db, project)
  },
  async forget() {},
}
