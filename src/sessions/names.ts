/**
 * What sessions are called. The name of one in a fenced project begins with the project's slug, and no other
 * does: so a name never leads across a fence, and tells nothing of what is behind one.
 */
import { isId } from '../kernel/id.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import {
  findPlace,
  isFenced,
  resolvePlace,
  type Place,
  type Whereabouts,
} from '../projects/projects.ts'

const LONGEST = 255

/** The name as it was asked for; '' when none was. */
export function checkName(given = ''): string {
  const name = given.trim()
  if (Buffer.byteLength(name) > LONGEST || /[\0-\x1f\x7f]/.test(name)) {
    throw invalid(`name must be one line of at most ${LONGEST} bytes`)
  }
  // Calls look for a session by its id first: who is called like the id of another would speak for that one.
  if (isId(name)) {
    throw invalid(
      `name "${name}" is an id: to go on with the session of that id pass its name here, or ` +
        `session="${name}" to each call`,
    )
  }
  return name
}

/** Refuses a name that no session there may have, before a project is registered for it. */
export async function judgeName(
  kernel: Kernel,
  given: string | undefined,
  where: Whereabouts,
): Promise<void> {
  const name = checkName(given)
  if (!name.includes('/')) return
  await placeOfName(kernel.db, name, await resolvePlace(kernel, where, false))
}

/** What a session of this name is called in a place. */
export function calledAt(place: Place, name: string): string {
  const fence = `${place.project}/`
  return isFenced(place) && !name.startsWith(fence) ? fence + name : name
}

/**
 * Returns where a session of this name belongs: the place that was said, else the fenced project with which
 * the name begins. Refuses a name of one project for another, whether or not there is such a session.
 */
export async function placeOfName(
  db: Db,
  name: string,
  said: Place & { isUnknown?: true },
): Promise<Place> {
  const [, slug = ''] = /^([^/]+)\//.exec(name) ?? []
  if (slug === '' || slug === said.project) return said
  const own = await findPlace(db, slug)
  if (!isFenced(own)) return said
  if (said.isUnknown) return own
  throw invalid(
    `a name that begins with "${slug}/" is of a session in project ${slug}: pass project=${slug}, ` +
      'or choose another name',
  )
}
