/** A fence that stands by now where none did when something was proposed. */
import type { Db } from '../../kernel/kernel.ts'
import { forbidden } from '../../kernel/refusal.ts'
import { findPlace, isFenced } from '../../projects/projects.ts'

/**
 * Refuses to bring together what lies in these projects when one of them is fenced: a text would come out from behind
 * its fence, or go where those who read it are shown it no more.
 */
export async function refuseAcrossFence(db: Db, projects: readonly string[]): Promise<void> {
  const places = new Set(projects)
  if (places.size < 2) return
  for (const project of places) {
    const place = await findPlace(db, project)
    if (!isFenced(place)) continue
    throw forbidden(
      `project ${project} is ${place.isolation}: nothing is moved into it or taken out of it`,
    )
  }
}
