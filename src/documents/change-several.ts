/** One write of several documents: those that were found, and others beside them. */
import { newId } from '../kernel/id.ts'
import type { Actor, Decision, Kernel } from '../kernel/kernel.ts'
import type { FileBytes, Files } from '../vault/vault.ts'
import { putChange, type Change } from './change.ts'
import { checkSize, documentPath, understandFound } from './file.ts'
import type { Document, DocumentKind } from './kind.ts'
import { fileLocked, lockDocuments, type Locking } from './lock.ts'
import { ownerOfPath, type Placed } from './store.ts'

/** What is known inside the locks. */
export interface HeldSeveral<D extends Document, F> {
  kernel: Kernel
  files: Files
  found: F
  read(found: Placed): Promise<D>
  /** The id of the document that has this name there; '' of a file that no row knows, undefined: the name is free. */
  ownerOf(project: string, name: string): Promise<string | undefined>
}

/**
 * Locks documents and puts what `decide` makes of them, all or none of it. A change is recorded as an event of the
 * document that it puts. None gets another name or project; `decide` has read each one that is there.
 */
export async function changeSeveral<
  D extends Document,
  F extends readonly Placed[],
  R extends object,
>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  locking: Locking<F>,
  decide: (held: HeldSeveral<D, F>) => Promise<{ result: R; changes: readonly Change<D>[] }>,
): Promise<R> {
  const write = async (kernel: Kernel, files: Files, found: F): Promise<Decision<R>> => {
    const lying = new Map<string, FileBytes>()
    const { result, changes } = await decide({
      kernel,
      files,
      found,
      async read(found) {
        const file = await fileLocked(kernel, files, found)
        lying.set(found.id, file)
        return understandFound(kind, file, found.id)
      },
      async ownerOf(project, name) {
        const path = documentPath(kind, project, name)
        const owner = await ownerOfPath(kernel.db, kind, path)
        return owner ?? ((await files.read(path)) ? '' : undefined)
      },
    })
    const decisions = changes.map((change) => {
      checkSize(kind, change.document.body)
      const file = lying.get(change.document.id)
      return putChange(files, kind, { by, event: newId(kernel.clock.now()), file }, change)
    })
    return {
      result,
      async rows(kernel) {
        for (const { rows } of decisions) await rows(kernel)
      },
      events: decisions.flatMap(({ events = [] }) => events),
    }
  }
  return (await lockDocuments(kernel, kind, locking, write)).result
}
