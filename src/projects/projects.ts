/**
 * Projects: what knowledge belongs to, who may see it, and the resolution of every scope.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in projects/.
 * A project whose name, description or level was given is also a small file, so that losing the
 * database opens no fence.
 */
import { newId } from '../kernel/id.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { conflict, invalid } from '../kernel/refusal.ts'
import { cutSlug, nameProblem, NO_LETTER, normalName, slugify } from '../text/slug.ts'
import { Unreadable } from '../vault/vault.ts'
import { projectPath, renderProject } from './file.ts'
import { GLOBAL, isFenced, type Isolation, type Place } from './isolation.ts'
import { judge, refuseAdd } from './judge.ts'
import type { Project } from './project.ts'
import { meant, refuseReserved } from './slugs.ts'
import {
  findPlace,
  findProject,
  FROM_A_FENCE,
  insertOwnProject,
  insertProject,
  openProblem,
} from './store.ts'
import { refuseName } from './upkeep.ts'

export { askWhich, type Caller } from './callers.ts'
export { divideProject, unregisterBare, type Divided, type Division } from './divide.ts'
export { withhold } from './withheld.ts'
export { rewriteTexts } from './file.ts'
export { projectFileKind } from './file-kind.ts'
export { familiesChanged, repoMoved } from './events.ts'
export {
  addToFamily,
  deleteFamily,
  listFamilies,
  removeFromFamily,
  saveFamily,
  siblingsOf,
  type Family,
  type StandingFamily,
} from './families.ts'
export { GLOBAL, isFenced, ISOLATION, type Isolation, type Level, type Place } from './isolation.ts'
export {
  addsUnseen,
  isolationOf,
  judge,
  judgeAdd,
  judgeWrite,
  readsFrom,
  refuseUnaddable,
  refuseUnseenPlan,
  type Judged,
  type Verdict,
} from './judge.ts'
export { openForWriting } from './open-for-writing.ts'
export { checkOwner, ownerScope, type OwnerScope } from './owner-scope.ts'
export { mapRepo } from './map-repo.ts'
export { configuredRepos, listRepos, placesOf, type Mapped } from './repo-map.ts'
export { resolvePlace, type Moved, type Resolved, type Whereabouts } from './resolve-place.ts'
export { readable, refuseUnwritable, writable, type Reached } from './reach.ts'
export {
  narrowed,
  projectOf,
  scopeOf,
  searchedAlike,
  searchedOf,
  type AnyScope,
  type Scope,
} from './scope.ts'
export {
  scopeAt,
  scopesFor,
  type Ambient,
  type CallContext,
  type Meant,
  type Scopes,
} from './scopes.ts'
export { scopeSql } from './scope-sql.ts'
export { isReserved, parseProject, slugNamed, wireProject } from './slugs.ts'
export { readSurroundings, withInherited, type Surroundings } from './surroundings.ts'
export { starProject } from './star.ts'
export type { Project } from './project.ts'
export { findPlace, listProjects } from './store.ts'
export {
  overviewProject,
  overviewProjects,
  renameProject,
  setParent,
  setRetired,
  type ProjectOverview,
} from './upkeep.ts'

export interface NewProject {
  name: string
  description: string
  isolation: Isolation
  slug?: string
}

/**
 * Creates a project. It never renames or edits one: a slug that is taken is a conflict.
 *
 * Refused from a fenced session: what a project is called may not leave a confidential one.
 */
export async function createProject(
  kernel: Kernel,
  caller: Place,
  { name, description, isolation, slug: given }: NewProject,
): Promise<Project> {
  if (isFenced(caller)) refuseAdd(caller, await judge(kernel.db, caller, GLOBAL.project))
  refuseName(name)
  const slug = newSlug(name, given)
  if (given === undefined) await refuseFormer(kernel.db, name)
  const problem = isFenced({ isolation }) ? undefined : await openProblem(kernel.db, slug)
  if (problem) throw conflict(problem)
  const path = projectPath(slug)
  const project = { id: newId(kernel.clock.now()), slug, name, description, isolation }

  await kernel.vault.write(kernel, [path], async (kernel, files) => {
    const taken = await findProject(kernel.db, slug)
    if (taken || (await files.read(path))) throw conflict(`project slug "${slug}" already exists`)
    files.put(path, renderProject(project))
    return {
      result: project,
      async rows(kernel) {
        if (await insertOwnProject(kernel.db, project)) return
        throw conflict(`project slug "${slug}" already exists`)
      },
    }
  })
  return project
}

/** Refuses a name that a project already has whose slug was cut in former times. */
async function refuseFormer(db: Db, name: string): Promise<void> {
  const cut = cutSlug(name)
  const former = cut === undefined ? undefined : await findProject(db, cut)
  if (former && normalName(former.name) === normalName(name)) {
    throw conflict(`project slug "${cut}" already exists`)
  }
}

function newSlug(name: string, given: string | undefined): string {
  const slug = given ?? slugify(name)
  if (slug === '') throw invalid(`no slug can be made of the name: ${NO_LETTER}; pass slug`)
  refuseReserved(slug)
  const problem = nameProblem(slug)
  if (problem)
    throw invalid(`invalid project slug ${JSON.stringify(slug.slice(0, 300))}: ${problem}`)
  if (slugify(slug) !== slug) {
    throw invalid(
      `invalid project slug ${JSON.stringify(slug)}: lower-case letters and digits joined by "-"` +
        meant(slugify(slug)),
    )
  }
  return slug
}

/**
 * Makes sure that a project found on disk has a row. Open, unless its own file says more: what comes out of a fenced
 * project opens none, or a folder that was given another name would be a way through its fence.
 *
 * @param cameFrom the project in which the item was known before; undefined: none
 */
export async function ensureProject(
  kernel: Kernel,
  slug: string,
  cameFrom: () => Promise<string | undefined> = async () => undefined,
): Promise<void> {
  if (slug === '' || (await findProject(kernel.db, slug))) return
  const before = await cameFrom()
  if (before !== undefined && isFenced(await findPlace(kernel.db, before))) {
    throw new Unreadable(
      `${FROM_A_FENCE}, and there is no project "${slug}" that has one: create that project with the isolation of ` +
        'the other, or move the file back',
    )
  }
  const problem = await openProblem(kernel.db, slug)
  if (problem) throw new Unreadable(problem)
  await insertProject(kernel, { slug, name: slug, description: '', isolation: 'open' })
}
