/** What is done to a document that stands: find, lock, find again, judge, read, change, put, record. */
import type { PendingEvent } from '../kernel/event-kind.ts'
import { pendingEvent } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { judgeWrite, wireProject, type Scope } from '../projects/projects.ts'
import type { FileBytes, Files } from '../vault/vault.ts'
import { checkSize, renderDocument } from './file.ts'
import { dropDocument, indexDocument } from './index.ts'
import type { Document, DocumentKind, Stored } from './kind.ts'
import { fileLocked, lockDocuments, readLocked } from './lock.ts'
import { documentPath } from './path.ts'
import { reachDocument, type Target } from './reach.ts'
import { ownerOfPath, type Found } from './store.ts'

/** What a change makes of a document, and what the event says of it. */
export interface Change<D extends Document> {
  document: D
  payload: object
}

/**
 * One change of one document. A change that returns undefined leaves the document as it is.
 *
 * `to` is the project that it moves to. It is judged once more inside the transaction.
 */
export async function changeDocument<D extends Document>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  target: Target,
  change: (before: D, file: FileBytes, readable: boolean) => Change<D> | undefined,
  to?: string,
): Promise<Stored<D>> {
  const event = newId(kernel.clock.now())
  const destination = ({ path, name }: Found): string =>
    to === undefined ? path : documentPath(kind, to, name)
  const locking = {
    ...finding(kind, target, 'change'),
    also: ([found]: [Found]) => [destination(found)],
    shared: keyOf(target),
  }
  const { result, indexed } = await lockDocuments(
    kernel,
    kind,
    locking,
    async (kernel, files, [found]) => {
      const { readable } = found
      const { file, document: before } = await readLocked(kernel, files, kind, found)
      refuseEnded(kind, before, 'change')
      const changed = change(before, file, readable)
      if (!changed) {
        return { result: { ...before, content_hash: file.hash, readable }, async rows() {} }
      }
      const path = destination(found)
      if (path !== found.path) await makeRoom(kernel, files, kind, target.scope, changed.document)
      const document: D = {
        ...changed.document,
        updated: files.nextTime(before.updated),
        ...(by.model && changed.document.body !== before.body && { model: by.model }),
      }
      checkSize(kind, document.body)
      const put = putDocument(files, kind, document, path, readable)
      if (path !== found.path) files.remove(found.path)
      return { ...put, events: [written(kind, by, event, document, changed.payload)] }
    },
  )
  return { ...result, indexed }
}

/**
 * Sets or clears the star in the head of a document's file. No edit: `updated` stays, and a document
 * that is so already is not written. `act` belongs to it, in the same transaction; it may run again.
 */
export function starDocument(
  kernel: Kernel,
  kind: DocumentKind,
  target: Target,
  favorite: boolean,
  act: (kernel: Kernel, document: { id: string; project: string }) => Promise<void>,
): Promise<{ indexed: boolean }> {
  const locking = finding(kind, target, 'star')
  return lockDocuments(kernel, kind, locking, async (kernel, files, [found]) => {
    const { file, document: before } = await readLocked(kernel, files, kind, found)
    refuseEnded(kind, before, 'star')
    const document = { ...before, favorite }
    const same = before.favorite === favorite
    const hash = same ? file.hash : files.put(found.path, renderDocument(kind, document))
    return {
      result: undefined,
      rows: (kernel) => indexDocument(kernel, kind, document, found.path, hash),
      act: (kernel) => act(kernel, found),
    }
  })
}

/** Removes file and row for good; nothing is left in its place. Reaches what no longer holds, too. */
export async function deleteDocument(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind,
  target: Target,
): Promise<Found> {
  const event = newId(kernel.clock.now())
  const locking = finding(kind, target, 'delete')
  const { result } = await lockDocuments(kernel, kind, locking, async (kernel, files, [found]) => {
    await fileLocked(kernel, files, kind, found)
    files.remove(found.path)
    const { id, project, name } = found
    const payload = { [kind.nameKey]: name, deleted: true }
    return {
      result: found,
      rows: (kernel) => dropDocument(kernel, kind, id),
      events: [pendingEvent(kind.events.deleted, { id: event, by, project, item: id, payload })],
    }
  })
  return result
}

const finding = (kind: DocumentKind, target: Target, act: 'change' | 'star' | 'delete') => ({
  find: async ({ db }: Kernel): Promise<[Found]> => [await reachDocument(db, kind, target, act)],
})

/** The look-ups of one target inside one lock have one answer. */
const keyOf = ({ scope: { caller, project, searched }, address }: Target): string =>
  JSON.stringify([caller.project, caller.isolation, project, searched, address])

/** Refuses a document that no longer holds by what its file says. */
function refuseEnded(
  { ending, nameOf }: DocumentKind,
  document: Document,
  act: 'change' | 'star',
): void {
  if (ending?.ended(document)) throw ending.refusal(nameOf(document), act)
}

/** Stages the file of a document; its rows follow from it. */
export function putDocument<D extends Document>(
  files: Files,
  kind: DocumentKind<D>,
  document: D,
  path: string,
  readable: boolean,
) {
  const content_hash = files.put(path, renderDocument(kind, document))
  return {
    result: { ...document, content_hash, readable },
    rows: (kernel: Kernel) => indexDocument(kernel, kind, document, path, content_hash),
  }
}

/** Returns the event of a document that is written. */
export const written = (
  kind: DocumentKind,
  by: Actor,
  event: string,
  { id, project }: Document,
  payload: object,
): PendingEvent => pendingEvent(kind.events.written, { id: event, by, project, item: id, payload })

/** The destination of a move, inside both locks. */
async function makeRoom(
  kernel: Kernel,
  files: Files,
  kind: DocumentKind,
  scope: Scope,
  document: Document,
): Promise<void> {
  const name = kind.nameOf(document)
  const path = documentPath(kind, document.project, name)
  await judgeWrite(kernel.db, scope, document.project)
  if ((await ownerOfPath(kernel.db, kind, path)) === undefined && !(await files.read(path))) return
  throw conflict(nameTaken(kind, document.project, name))
}

export const nameTaken = ({ kind, nameKey }: DocumentKind, project: string, name: string): string =>
  `the ${nameKey} "${name}" is taken by another ${kind} in ${wireProject(project)}`
