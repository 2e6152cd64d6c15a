/** A memory of any project is printed as `project/name`, and whoever writes it again may call it so. */
import type { Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { findDocument, readReference, spelled } from '../documents/documents.ts'
import { wireProject, type Scope } from '../projects/projects.ts'
import { nameOrNone } from './checks.ts'
import { memoryDocument } from './document.ts'

/**
 * Refuses a name that is the printed one of a memory, which would make a second one of another name. To
 * rewrite that memory instead would be a guess: a name may hold a slash of its own, and one that has stood
 * so is rewritten.
 */
export async function refusePrinted(
  kernel: Kernel,
  scope: Scope,
  place: { project: string; name: string },
  given: string,
): Promise<void> {
  const reference = await readReference(kernel.db, scope.caller, given)
  if (!reference?.readable || nameOrNone(reference.name) === '') return
  const find = (name: string, project: string) =>
    findDocument(kernel, memoryDocument, scope, spelled(memoryDocument, { name }), [project])
  const printed = await find(reference.name, reference.project)
  if (!printed) return
  const own = await find(place.name, place.project)
  if (own?.readable) return
  const project = wireProject(printed.project)
  throw invalid(
    `"${project}/${printed.name}" is a memory of its own: pass name=${printed.name} and ` +
      `project=${project} to write that one, or choose a name without a slash`,
  )
}
