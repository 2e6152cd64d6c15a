import { newId } from '../kernel/id.ts'
import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { judgeWrite, wireProject, type Scope } from '../projects/projects.ts'
import type { FileBytes } from '../vault/vault.ts'
import { putDocument, written, type Change } from './change.ts'
import { checkSize, understand, understandBlind } from './file.ts'
import type { Document, DocumentKind, Put, Stored } from './kind.ts'
import { documentPath } from './path.ts'
import { ownerOfPath, pathOf } from './store.ts'

/** Where a document is to be written. The project has been resolved and judged for writing. */
export interface Place {
  project: string
  scope: Scope
  name: string
}

/** What stands at the path, read inside its lock. */
export interface Standing<D extends Document> {
  /** The id of the document that owns the path by its row. */
  owner: string | undefined
  file: FileBytes | undefined
  /** Returns what the file says; refuses what it cannot say, and what belongs elsewhere. */
  before(): Promise<D | undefined>
  /** For a document that is made now. */
  id: string
  /** Returns the time of this write, later than `previous`. */
  now(previous?: Date): Date
}

interface Writing<D extends Document> extends Change<D> {
  /** What else belongs to the act, in the same transaction. Idempotent, as `Decision.act` is. */
  act?: ((kernel: Kernel) => Promise<unknown>) | undefined
}

/**
 * Writes the document of a name, new or over the one that stands there. `compose` decides which,
 * inside the lock; undefined leaves everything as it is. It may run again.
 */
export async function writeDocument<D extends Document, U extends undefined = never>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  { project, scope, name }: Place,
  compose: (standing: Standing<D>) => Promise<Writing<D> | U>,
): Promise<Stored<D> | U> {
  const path = documentPath(kind, project, name)
  const [event, id] = [newId(kernel.clock.now()), newId(kernel.clock.now())]
  const { result, indexed } = await kernel.vault.write<Put<D> | U>(
    kernel,
    [path],
    async (kernel, files) => {
      const [readable, owner, file] = await Promise.all([
        judgeWrite(kernel.db, scope, project),
        ownerOfPath(kernel.db, kind, path),
        files.read(path),
      ])
      const before = async () => file && standing(kernel.db, kind, owner, file, readable)
      const composed = await compose({ owner, file, before, id, now: files.nextTime })
      if (!composed) return { result: composed, async rows() {} }
      const { document, payload, act } = composed
      checkSize(kind, document.body)
      return {
        ...putDocument(files, kind, document, path, readable),
        events: [written(kind, by, event, document, payload)],
        ...(act && { act }),
      }
    },
  )
  return result === undefined ? result : { ...result, indexed }
}

async function standing<D extends Document>(
  db: Db,
  kind: DocumentKind<D>,
  owner: string | undefined,
  file: FileBytes,
  readable: boolean,
): Promise<D> {
  const document = readable ? understand(kind, file) : understandBlind(kind, file)
  const { id, project } = document
  const home = owner === undefined ? await pathOf(db, kind, id) : file.path
  if ((owner ?? id) === id && (home ?? file.path) === file.path) return document
  const called = `${kind.kind} "${kind.nameOf(document)}" in ${wireProject(project)}`
  throw conflict(`the path of ${called} is occupied by another item`)
}
