import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import { notFound, Refusal } from '../kernel/refusal.ts'
import { asRefusal } from '../kernel/trouble.ts'
import { refuseUnwritable, type Scope } from '../projects/projects.ts'
import { findDocument, missing, readReference, type Found } from '../documents/documents.ts'
import { requiredName } from './checks.ts'
import { memoryDocument } from './document.ts'
import { supersede } from './lifecycle.ts'
import { memoryRef } from './read.ts'
import type { WrittenMemory } from './write.ts'

/**
 * Retires the memory that a write named as superseded: looked up in the project of the new one, then
 * in global. Returns its reference; undefined when it is the new memory itself.
 *
 * The new memory is written by now and stays, so every failure says so.
 */
export async function supersedeByName(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  written: WrittenMemory,
  name: string,
): Promise<string | undefined> {
  try {
    const found = await target(kernel.db, scope, written.project, name)
    if (found.id === written.id) return undefined
    await supersede(kernel, by, found.id, written.id, { scope })
    return memoryRef(found)
  } catch (error) {
    const refusal = asRefusal(error)
    if (!refusal) kernel.log.error({ err: error, name }, 'a memory was not superseded')
    throw new Refusal(
      refusal?.kind ?? 'unavailable',
      `the new memory "${written.name}" was written and is kept with id ${written.id}, but ` +
        `superseding "${name}" failed: ${refusal?.message ?? 'internal error'}. The old memory is ` +
        'as it was; put right what is wrong and write again under the same name, nothing is lost',
      { cause: error },
    )
  }
}

/** A reference means its own project alone; else it is a name with a slash in it. */
async function target(db: Db, scope: Scope, project: string, given: string): Promise<Found> {
  const reference = await readReference(db, scope.caller, given)
  if (reference) {
    const searched = [reference.project]
    const address = { name: requiredName(reference.name) }
    const found = await findDocument(db, memoryDocument, scope, address, searched)
    if (found && (found.readable || found.writable)) {
      const what = missing(memoryDocument, { project: reference.project, searched }, address)
      return judged(scope, found, what)
    }
  }
  const name = requiredName(given)
  const alone = project === '' || !scope.searched.includes('')
  const searched = alone ? [project] : [project, '']
  const found = await findDocument(db, memoryDocument, scope, { name }, searched)
  return judged(scope, found, missing(memoryDocument, { project, searched }, { name }))
}

function judged(scope: Scope, found: Found | undefined, what: string): Found {
  refuseUnwritable(scope, found, what)
  // A caller who may not read there learns nothing of memories that have ended.
  if (!found.active && !found.readable) throw notFound(what)
  return found
}
