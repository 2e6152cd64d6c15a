import type { Kernel } from '../kernel/kernel.ts'
import { invalid, unavailable } from '../kernel/refusal.ts'
import { slugify } from '../text/slug.ts'
import type { Place } from './isolation.ts'
import { judge, refuseWrite } from './judge.ts'
import { quote, refuseReserved } from './slugs.ts'
import { fileProblem, findPlace, insertProject } from './store.ts'

/**
 * Judges a write into the project and registers it when it is new, in its own short transaction.
 * The fence comes first, so that a refused caller leaves no project behind.
 */
export async function openForWriting(
  kernel: Kernel,
  caller: Place,
  project: string,
): Promise<string> {
  const target = await judge(kernel.db, caller, project)
  refuseWrite(caller, target)
  if (project !== '' && !target.registered) {
    const slug = slugify(project)
    if (slug !== project) {
      throw invalid(
        `invalid project ${quote(project)}: a new project's slug is lower-case letters and digits ` +
          `joined by "-"; did you mean "${slug}"?`,
      )
    }
    refuseReserved(slug)
    const problem = await fileProblem(kernel.db, slug)
    if (problem) throw unavailable(problem)
    await insertProject(kernel, { slug, name: slug, description: '', isolation: 'open' })
  }
  return project
}

/** Enters a project, which no fence forbids. One that the map knows and nobody registered is registered. */
export async function enterProject(
  kernel: Kernel,
  project: string,
  register: boolean,
): Promise<Place> {
  const { isolation, registered } = await findPlace(kernel.db, project)
  if (registered || project === '') return { project, isolation }
  const problem = await fileProblem(kernel.db, project)
  if (problem) throw unavailable(problem)
  if (register) await openForWriting(kernel, { project, isolation }, project)
  return { project, isolation }
}
