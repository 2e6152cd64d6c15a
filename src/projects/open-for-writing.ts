import type { Kernel } from '../kernel/kernel.ts'
import { invalid, unavailable } from '../kernel/refusal.ts'
import { slugify } from '../text/slug.ts'
import type { Place } from './isolation.ts'
import { judge, judgeOnce, refuseAdd } from './judge.ts'
import { meant, quote, refuseReserved } from './slugs.ts'
import { findPlace, insertProject, openProblem } from './store.ts'
import { created, type Created } from './unknown.ts'

/** A project that may be written. */
export interface Opened {
  project: string
  /** This call has made it. */
  created?: Created
}

/** Judges a write into the project, and writes nothing. Returns whether the project would be a new one. */
export async function aimForWriting(
  kernel: Kernel,
  caller: Place,
  project: string,
): Promise<boolean> {
  const target = await judgeOnce(kernel.db, caller, project)
  refuseAdd(caller, target)
  if (project === '' || target.registered) return false
  const slug = slugify(project)
  if (slug !== project) {
    throw invalid(
      `invalid project ${quote(project)}: a new project's slug is lower-case letters and digits ` +
        `joined by "-"${meant(slug)}`,
    )
  }
  refuseReserved(slug)
  const problem = await openProblem(kernel.db, slug)
  if (problem) throw unavailable(problem)
  return true
}

/**
 * Judges a write into the project and registers it when it is new, in its own short transaction.
 * The fence comes first, so that a refused caller leaves no project behind.
 */
export async function openForWriting(
  kernel: Kernel,
  caller: Place,
  project: string,
): Promise<Opened> {
  if (!(await aimForWriting(kernel, caller, project))) return { project }
  const draft = { slug: project, name: project, description: '', isolation: 'open' as const }
  if (!(await insertProject(kernel, draft))) {
    // Another call was first, and may have put a fence around it.
    refuseAdd(caller, await judge(kernel.db, caller, project))
    return { project }
  }
  return { project, created: await created(kernel.db, caller, project) }
}

/** Enters a project, which no fence forbids. One that the map knows and nobody registered is registered. */
export async function enterProject(
  kernel: Kernel,
  project: string,
  register: boolean,
): Promise<Place & Opened> {
  const { isolation, registered } = await findPlace(kernel.db, project)
  if (registered || project === '') return { project, isolation }
  const problem = await openProblem(kernel.db, project)
  if (problem) throw unavailable(problem)
  if (!register) return { project, isolation }
  const opened = await openForWriting(kernel, { project, isolation }, project)
  const now = opened.created ? isolation : (await findPlace(kernel.db, project)).isolation
  return { ...opened, isolation: now }
}
