/**
 * Where a caller probably works whose session nobody knows. A guess chooses among open projects. It
 * opens no fence, counts as no sign of life, and what is recorded under it says that it was one.
 */
import type { Kernel } from '../kernel/kernel.ts'
import { resolvePlace, type Ambient, type Resolved } from '../projects/projects.ts'
import type { Shown } from './shown.ts'

export interface Guess {
  /** The place that the caller shows; else every project in which agents are at work. */
  places: readonly Ambient[]
  /** The caller shows a place that belongs to no project. */
  isUnplaced: boolean
  /** The caller's client has gone behind a fence, away from the place that it shows. */
  isAway: boolean
}

export const NO_GUESS: Guess = { places: [], isUnplaced: false, isAway: false }

/**
 * A place that the caller shows goes before everything: who else is alive says nothing of it. The
 * session is the only one at work there, if its client is the caller's.
 */
export async function guessPlaces(
  kernel: Kernel,
  ambients: readonly (Ambient & { client: string })[],
  shown: Shown,
): Promise<Guess> {
  const places = ambients.map(({ project, isolation, session, client }) => ({
    project,
    isolation,
    session: shown.client === '' || client === shown.client ? session : '',
  }))
  if (!showsPlace(shown)) return { ...NO_GUESS, places }
  const place = await placeOf(kernel, shown)
  if (!place) return { ...NO_GUESS, isUnplaced: true }
  const { project, isolation } = place
  const session = places.find((each) => each.project === project)?.session ?? ''
  return { ...NO_GUESS, places: [{ project, isolation, session }] }
}

const showsPlace = ({ cwd, repo, repo_root }: Shown): boolean =>
  cwd !== '' || repo !== '' || repo_root !== ''

/** The project of the place that a call shows; undefined when it shows none, or none that is known. */
export async function placeOf(kernel: Kernel, shown: Shown): Promise<Resolved | undefined> {
  if (!showsPlace(shown)) return undefined
  const { cwd, repo, repo_root } = shown
  const place = await resolvePlace(kernel, { cwd, repo, repo_root }, false)
  return place.isUnknown ? undefined : place
}
