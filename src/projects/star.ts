import type { Kernel } from '../kernel/kernel.ts'
import { forbidden, invalid, notFound } from '../kernel/refusal.ts'
import { writeRefusal } from './isolation.ts'
import { parseProject, type Scope } from './scope.ts'
import { findPlace } from './store.ts'

/** Sets or clears the star of a project; nothing else of it changes. Answers its slug. */
export async function starProject(
  { db }: Kernel,
  { caller }: Scope,
  asked: string,
  favorite: boolean,
): Promise<{ id: string; project: string }> {
  const slug = parseProject(asked)
  if (!slug) throw invalid('the global scope is no project and has no star')
  const place = await findPlace(db, slug)
  const refusal = writeRefusal(caller, place)
  if (refusal) throw forbidden(refusal)
  if (!place.registered) throw notFound(`project "${slug}"; project_list names them all`)
  await db.updateTable('projects').set({ favorite }).where('slug', '=', slug).execute()
  return { id: slug, project: slug }
}
