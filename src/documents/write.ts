import { newId } from '../kernel/id.ts'
import type { Actor, Db, Decision, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { judgeWrite, wireProject, type Scope } from '../projects/projects.ts'
import { mayBeCut } from '../text/slug.ts'
import type { FileBytes, Files } from '../vault/vault.ts'
import { putChange, type Change } from './change.ts'
import { checkSize, documentPath, understand } from './file.ts'
import type { Document, DocumentKind, Put, Stored } from './kind.ts'
import { findPlaced, ownerOfPath } from './store.ts'

/** What is at the path already, read inside its lock. */
export interface Standing<D extends Document> {
  /** The id of the document that owns the path by its row. */
  owner: string | undefined
  file: FileBytes | undefined
  /** Returns what the file says; refuses what it cannot say, and what belongs elsewhere. */
  before(): Promise<D | undefined>
  /** Returns the fields that every write sets in the same way, for a new document or over `before`. */
  stamped(before?: D): Omit<Document, 'description' | 'body'>
}

/**
 * Writes the document of a name: a new one, or over the one that is there. `compose` decides which,
 * inside the lock; undefined leaves everything as it is. It may run again. `project` has been resolved
 * and judged for writing.
 */
export async function writeDocument<D extends Document, U extends undefined = never>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  { project, scope, name }: { project: string; scope: Scope; name: string },
  compose: (standing: Standing<D>) => Promise<Change<D> | U>,
): Promise<Stored<D> | U> {
  const path = documentPath(kind, project, name)
  const [event, fresh] = [newId(kernel.clock.now()), newId(kernel.clock.now())]
  const write = async (kernel: Kernel, files: Files): Promise<Decision<Put<D> | U>> => {
    const [readable, owner, file] = await Promise.all([
      judgeWrite(kernel.db, scope, project),
      ownerOfPath(kernel.db, kind, path),
      files.read(path),
    ])
    const change = await compose({
      owner,
      file,
      before: async () => file && standing(kernel.db, kind, owner, file, readable),
      stamped(before) {
        const updated = files.nextTime(before?.updated)
        const made = { id: owner ?? fresh, project, created: updated, favorite: false }
        const model = by.model || (before?.model ?? '')
        return { ...made, tags: [], uncut: mayBeCut(name), extra: {}, ...before, updated, model }
      },
    })
    if (!change) return { result: change, async rows() {} }
    checkSize(kind, change.document.body)
    return putChange(files, kind, { by, event, readable }, change)
  }
  const { result, indexed } = await kernel.vault.write(kernel, [path], write)
  return result === undefined ? result : { ...result, indexed }
}

async function standing<D extends Document>(
  db: Db,
  kind: DocumentKind<D>,
  owner: string | undefined,
  file: FileBytes,
  readable: boolean,
): Promise<D> {
  const document = understand(kind, file, readable)
  const { id, project } = document
  const home = owner === undefined ? await findPlaced(db, kind, id) : { id: owner, path: file.path }
  if (!home || (home.id === id && home.path === file.path)) return document
  const called = `${kind.kind} "${kind.nameOf(document)}" in ${wireProject(project)}`
  throw conflict(`the path of ${called} is occupied by another item`)
}
