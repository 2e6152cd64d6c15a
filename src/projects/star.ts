import type { Kernel } from '../kernel/kernel.ts'
import { invalid, notFound } from '../kernel/refusal.ts'
import { judge, refuseWrite } from './judge.ts'
import { callerOf, type Scope } from './scope.ts'
import { parseProject } from './slugs.ts'

/** Sets or clears the star of a project; nothing else of it changes. Returns its slug. */
export async function starProject(
  { db }: Kernel,
  scope: Scope,
  asked: string,
  favorite: boolean,
): Promise<{ id: string; project: string }> {
  const slug = parseProject(asked)
  if (!slug) throw invalid('the global scope is no project and has no star')
  const place = await judge(db, callerOf(scope), slug)
  refuseWrite(callerOf(scope), place)
  if (!place.registered) throw notFound(`project "${slug}"; project_list names them all`)
  await db.updateTable('projects').set({ favorite }).where('slug', '=', slug).execute()
  return { id: slug, project: slug }
}
