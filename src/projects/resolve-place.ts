/**
 * Which project a repository belongs to. The path wins over the remote: a path is said of one place,
 * a remote of every clone.
 */
import { sql } from 'kysely'
import { record } from '../kernel/events.ts'
import { NOBODY, type Kernel } from '../kernel/kernel.ts'
import { nameProblem, numberedSlug, slugify } from '../text/slug.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { repoMoved } from './events.ts'
import { GLOBAL, isFenced, type Place } from './isolation.ts'
import { enterProject, type Opened } from './open-for-writing.ts'
import { lastSegment, liesIn, normalPath, normalRemote } from './places.ts'
import { addPlace, hasPlace, lookUp, type Known, type Mapped, type Sight } from './repo-map.ts'
import { isReserved, parseProject } from './slugs.ts'
import type { Created } from './unknown.ts'

/** What an agent says of where it works. `project` wins; blanks are as good as nothing. */
export interface Whereabouts {
  project?: string
  /** A git remote. */
  repo?: string
  repo_root?: string
  cwd?: string
}

export interface Moved {
  slug: string
  new_path: string
  old_paths: string[]
}

/** '' is the global scope. */
export interface Resolved extends Place {
  /** How the project was found, in one sentence for the agent. */
  how: string
  /** This call has made the project. */
  created?: Created
  /** Nothing is known of the place, so it counts as global. */
  isUnknown?: true
  /** Recorded already. */
  moved?: Moved
}

/**
 * The project that somebody works in.
 *
 * With `register` an unknown repository becomes a project of its own, and what was not yet known of a
 * known one is added to the map; without it nothing is written. A bare `cwd` only matches. Throws only
 * for an explicit project that cannot be, and for one whose file nobody understands.
 */
export async function resolvePlace(
  kernel: Kernel,
  where: Whereabouts,
  register: boolean,
): Promise<Resolved> {
  const explicit = parseProject(where.project)
  if (explicit !== undefined) {
    return {
      ...(await enterProject(kernel, explicit, register)),
      how: `${label(explicit)}, as given`,
    }
  }
  const sight: Sight = {
    cwd: normalPath(where.cwd ?? ''),
    root: rootOf(where.repo_root),
    remote: normalRemote(where.repo ?? ''),
  }
  const known = await lookUp(kernel, sight)
  if (register && isNews(sight, known)) return learn(kernel, sight)
  return answer(kernel, known, register)
}

/** A whole disk is no repository: everything would lie in it. */
function rootOf(given = ''): string | undefined {
  const root = normalPath(given)
  return root === undefined || /^(?:[A-Z]:)?\/+$/.test(root) ? undefined : root
}

/** Whether the sight tells something that the map does not have. */
function isNews({ root, remote }: Sight, known: Known): boolean {
  if (!known.path && !known.remote) return root !== undefined || remote !== undefined
  if (known.path) return !known.remote && remote !== undefined && tellsOf(known.path, root)
  return root !== undefined
}

/** Whether what is known of a path is known of the whole repository, and not of a part of it. */
const tellsOf = ({ place }: Mapped, root: string | undefined): boolean =>
  root !== undefined && liesIn(root, place)

/** Adds to the map what it does not have. One at a time, or two would take one slug. */
function learn(kernel: Kernel, sight: Sight): Promise<Resolved> {
  return inTransaction(kernel, async (kernel) => {
    await sql`lock table repos in share row exclusive mode`.execute(kernel.db)
    const known = await lookUp(kernel, sight)
    const { root, remote } = sight
    if (!isNews(sight, known)) return answer(kernel, known, true)
    if (known.path) {
      await addPlace(kernel.db, remote!, true, known.path.project)
      return answer(kernel, known, true)
    }
    if (known.remote) {
      const moved = await follow(kernel, known.remote.project, root!)
      return { ...(await answer(kernel, known, true)), ...(moved && { moved }) }
    }
    const { place, note } = await enterFree(kernel, lastSegment(remote ?? root!))
    const { project: slug } = place
    if (root !== undefined) await addPlace(kernel.db, root, false, slug)
    if (remote !== undefined) await addPlace(kernel.db, remote, true, slug)
    const seen = [remote, root].filter((each) => each !== undefined).join(' and ')
    return { ...place, how: `${label(slug)}, registered for ${seen}${note}` }
  })
}

/** A known remote at a path of which nothing was known. */
async function follow(kernel: Kernel, slug: string, root: string): Promise<Moved | undefined> {
  const rows = await kernel.db
    .selectFrom('repos')
    .select('place')
    .where('project', '=', slug)
    .where('remote', '=', false)
    .orderBy('place')
    .execute()
  const old_paths = rows.map(({ place }) => place)
  await addPlace(kernel.db, root, false, slug)
  // A linked worktree inside its own repository has moved nowhere.
  if (old_paths.length === 0 || old_paths.some((place) => liesIn(root, place))) return undefined
  const moved = { slug, new_path: root, old_paths }
  await record(kernel, repoMoved, { by: NOBODY, project: slug, item: null, payload: moved })
  return moved
}

/**
 * The project for a repository of this name: of the first of `name`, `name-2` … that no other place has. An
 * open project without a place is taken over. A fenced one is not: a name opens no fence.
 */
async function enterFree(
  kernel: Kernel,
  name: string,
): Promise<{ place: Place & Opened; note: string }> {
  const base = slugify(name) || 'untitled'
  const inFile = new Set(Object.values(kernel.config.repo_project_map))
  let note = ''
  for (let number = 1; ; number++) {
    const slug = number === 1 ? base : numberedSlug(base, number)
    if (isReserved(slug) || nameProblem(slug) || inFile.has(slug)) continue
    if (await hasPlace(kernel.db, slug)) continue
    const place = await enterProject(kernel, slug, true)
    if (!isFenced(place)) return { place, note }
    note ||= `; "${slug}" is ${place.isolation} and has no place yet: pass project to work there`
  }
}

async function answer(kernel: Kernel, known: Known, register: boolean): Promise<Resolved> {
  const match = known.path ?? known.remote
  if (!match) {
    const how = 'global: no project is known for this place; pass project, or repo and repo_root'
    return { ...GLOBAL, how, isUnknown: true }
  }
  const by = match.remote ? 'its git remote' : 'the path'
  const how = `${label(match.project)}, by ${by} ${match.place}`
  return { ...(await enterProject(kernel, match.project, register)), how }
}

const label = (project: string): string => (project === '' ? 'global' : `project "${project}"`)
