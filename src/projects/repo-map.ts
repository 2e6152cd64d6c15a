/**
 * The map of repositories: which project a path or a git remote belongs to. The configuration file lies
 * beneath the table.
 */
import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { liesIn, longestPlace, normalPath, normalRemote, placesAbove } from './places.ts'

/** A place of the map. What the owner says of a directory holds for every repository in it. */
export interface Mapped {
  place: string
  remote: boolean
  project: string
  sighted: boolean
}

/** The same whereabouts in the form of the map. */
export interface Sight {
  cwd: string | undefined
  root: string | undefined
  remote: string | undefined
}

export interface Known {
  path: Mapped | undefined
  remote: Mapped | undefined
}

const stored = (db: Db) => db.selectFrom('repos').select(['place', 'remote', 'project', 'sighted'])

/** The stored places, and those of the configuration that none of them replaces. */
function over(configured: readonly Mapped[], rows: readonly Mapped[]): Mapped[] {
  const places = new Set(rows.map(({ place }) => place))
  return [...rows, ...configured.filter(({ place }) => !places.has(place))]
}

export async function lookUp({ db, config }: Kernel, { cwd, root, remote }: Sight): Promise<Known> {
  const paths = [cwd, root].flatMap((path) => (path === undefined ? [] : placesAbove(path)))
  const wanted = new Set([...paths, ...(remote === undefined ? [] : [remote])])
  if (wanted.size === 0) return { path: undefined, remote: undefined }
  const rows = await stored(db)
    .where('place', 'in', [...wanted])
    .execute()
  const configured = configuredRepos(config.repo_project_map)
  const all = over(
    configured.filter(({ place }) => wanted.has(place)),
    rows,
  )
  // One repository inside another: that a clone was seen above it says nothing of this one.
  const outer = ({ place, sighted }: Mapped): boolean =>
    sighted && remote !== undefined && root !== undefined && place !== root && liesIn(root, place)
  const candidates = all.filter((each) => !each.remote && !outer(each))
  const at = (path: string | undefined, places: readonly Mapped[]) =>
    path === undefined ? undefined : longestPlace(path, places)
  // A worktree away from its repository: what was seen around it is another one.
  const away = root !== undefined && cwd !== undefined && !liesIn(cwd, root)
  const around = candidates.filter(({ sighted }) => !(away && sighted))
  return { path: at(cwd, around) ?? at(root, candidates), remote: all.find((each) => each.remote) }
}

/** What the configuration file says, in the form of the map. */
export function configuredRepos(map: Readonly<Record<string, string>>): Mapped[] {
  return Object.entries(map).flatMap(([given, project]) => {
    const place = normalPlace(given)
    return place === undefined ? [] : [{ ...place, project, sighted: false }]
  })
}

/** A path or a remote in the form of the map; undefined when it is neither. */
export function normalPlace(given: string): { place: string; remote: boolean } | undefined {
  const path = normalPath(given)
  if (path !== undefined) return { place: path, remote: false }
  const remote = normalRemote(given)
  return remote === undefined ? undefined : { place: remote, remote: true }
}

export async function addPlace(
  db: Db,
  place: string,
  remote: boolean,
  project: string,
): Promise<void> {
  await db
    .insertInto('repos')
    .values({ place, remote, project, sighted: true })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function hasPlace(db: Db, project: string): Promise<boolean> {
  const row = await db
    .selectFrom('repos')
    .select('place')
    .where('project', '=', project)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The whole map, the configured part of it included, by place. */
export async function listRepos({ db, config }: Kernel): Promise<Mapped[]> {
  const all = over(configuredRepos(config.repo_project_map), await stored(db).execute())
  return all.sort((a, b) => (a.place < b.place ? -1 : 1))
}

/** The directories of one project, then its remotes. */
export async function placesOf({ db, config }: Kernel, project: string): Promise<Mapped[]> {
  const own = configuredRepos(config.repo_project_map).filter((each) => each.project === project)
  const rows = await stored(db)
    .where((repo) =>
      repo.or([
        repo('project', '=', project),
        repo('place', '=', sql<string>`any (${own.map(({ place }) => place)}::text[])`),
      ]),
    )
    .execute()
  return over(own, rows)
    .filter((each) => each.project === project)
    .sort((a, b) => Number(a.remote) - Number(b.remote) || (a.place < b.place ? -1 : 1))
}
