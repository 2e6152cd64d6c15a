/** A write of a document that exists: find, lock, find again, judge, read, change, put, record. */
import type { EventKind } from '../kernel/event-kind.ts'
import { pendingEvent } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import { NOBODY, type Actor, type Db, type Decision, type Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { judgeAdd, wireProject, type Scope } from '../projects/projects.ts'
import { ownSlug } from '../text/slug.ts'
import type { FileBytes, Files } from '../vault/vault.ts'
import { checkSize, documentPath, refuseOther, renderDocument, understandFound } from './file.ts'
import { dropDocument, indexDocument } from './index.ts'
import type { Act, Document, DocumentKind, Put, Stored } from './kind.ts'
import { fileLocked, lockDocuments, type Locking } from './lock.ts'
import { reachDocument, type Target } from './reach.ts'
import { ownerOfPath, type Found, type Placed } from './store.ts'

/** What a write makes of a document, and what the event says of it. */
export interface Change<D extends Document> {
  document: D
  /** Left out: the event is a part of `act`. */
  payload?: object
  /** Left out: the document was written. */
  event?: EventKind
  /** Whether the file says so already, and is not written. */
  same?: boolean
  /** What else belongs to the act, in the same transaction. Idempotent, as `Decision.act` is. */
  act?: ((kernel: Kernel) => Promise<unknown>) | undefined
}

/** What is known inside the lock. */
export interface Held<D extends Document, F> {
  kernel: Kernel
  files: Files
  found: F
  file: FileBytes
  before: D
  /** Reads another one of those that were found. */
  read(found: Placed): Promise<D>
}

/**
 * Locks documents, reads the first one and puts what `decide` makes of it. Undefined leaves it as it
 * is. A document with another project or name is moved there.
 */
export async function changeLocked<D extends Document, F extends readonly [Placed, ...Placed[]]>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  locking: Locking<F>,
  decide: (held: Held<D, F>) => Promise<Change<D> | undefined>,
): Promise<Stored<D>> {
  const event = newId(kernel.clock.now())
  const write = async (kernel: Kernel, files: Files, found: F): Promise<Decision<Put<D>>> => {
    const file = await fileLocked(kernel, files, found[0])
    const before = understandFound(kind, file, found[0].id)
    const read = async (found: Placed) =>
      understandFound(kind, await fileLocked(kernel, files, found), found.id)
    const change = await decide({ kernel, files, found, file, before, read })
    if (!change) return { result: { ...before, content_hash: file.hash }, async rows() {} }
    return putChange(files, kind, { by, event, file }, change)
  }
  const { result, indexed } = await lockDocuments(kernel, kind, locking, write)
  return { ...result, indexed }
}

/**
 * One change of one document that the caller may write; undefined leaves it as it is.
 *
 * `to` is where it moves. It is judged once more inside the transaction.
 */
export function changeDocument<D extends Document>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  target: Target,
  change: (before: D, file: FileBytes) => Change<D> | undefined,
  to?: Destination,
): Promise<Stored<D>> {
  const locking: Locking<[Found]> = {
    ...finding(kind, target, 'change'),
    also: ([found]) => (to ? [documentPath(kind, to.project, nameAt(to, found))] : []),
    shared: keyOf(target),
  }
  return changeLocked(kernel, by, kind, locking, async (held) => {
    const { files, file, before } = held
    refuseEnded(kind, before, 'change')
    const changed = change(before, file)
    if (!changed) return undefined
    const { document, payload } = changed
    if (to && document.project !== before.project) {
      await makeRoom(held.kernel, files, kind, target.scope, { document, to })
    }
    checkSize(kind, document.body)
    const model = (document.body !== before.body && by.model) || document.model
    const updated = files.nextTime(before.updated)
    return { document: { ...document, model, updated }, payload }
  })
}

/** Where a document moves: the project, and whether its caller may not read there. */
export interface Destination {
  project: string
  unseen: boolean
}

/** The name that a document has there. Behind a fence it is one of its own, which is always free. */
export const nameAt = ({ unseen }: Destination, { name, id }: { name: string; id: string }) =>
  unseen ? ownSlug(name, id) : name

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
  return changeLocked(kernel, NOBODY, kind, locking, async ({ found: [found], before }) => {
    refuseEnded(kind, before, 'star')
    const same = before.favorite === favorite
    return { document: { ...before, favorite }, same, act: (kernel) => act(kernel, found) }
  })
}

/** Removes file and row for good, also of a document that has ended. Nothing is left in their place. */
export async function deleteDocument(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind,
  target: Target,
): Promise<Found> {
  const event = newId(kernel.clock.now())
  const locking = finding(kind, target, 'retire')
  // What was shown of it is counted by what it is, as long as that is known.
  await kernel.telemetry.flush()
  const { result } = await lockDocuments(kernel, kind, locking, async (kernel, files, [found]) => {
    refuseOther(kind, await fileLocked(kernel, files, found), found.id)
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

const finding = (kind: DocumentKind, target: Target, act: Act) => ({
  find: async (kernel: Kernel): Promise<[Found]> => [
    await reachDocument(kernel, kind, target, act),
  ],
})

/** The look-ups of one target inside one lock have one answer. */
const keyOf = ({ scope: { caller, project, searched }, address }: Target): string =>
  JSON.stringify([caller.project, caller.isolation, project, searched, address])

/** Refuses a document that has ended, as its file says. */
function refuseEnded({ ending, nameOf }: DocumentKind, document: Document, act: Act): void {
  if (ending?.ended(document)) throw ending.refusal(nameOf(document), act)
}

/** A document that its transaction is about to make. Another transaction may find it made already. */
export interface Fresh {
  id: string
  db: Db
  /** Of its project. */
  number: number
}

/** Stages the file of a document, in the place of `file` where it lay; its rows and its event follow. */
export function putChange<D extends Document>(
  files: Files,
  kind: DocumentKind<D>,
  held: { by: Actor; event: string; file?: FileBytes | undefined; fresh?: Fresh | undefined },
  { document, payload, event = kind.events.written, same = false, act }: Change<D>,
): Decision<Put<D>> {
  const { by, event: id, file, fresh } = held
  // What is not written stays where it lies, which may be elsewhere than its name says.
  const kept = same ? file : undefined
  const path = kept?.path ?? pathOfDocument(kind, document)
  const hash = kept?.hash ?? files.put(path, renderDocument(kind, document))
  if (file && file.path !== path) files.remove(file.path)
  const { id: item, project } = document
  return {
    result: { ...document, content_hash: hash },
    rows(kernel) {
      const isNew = item === fresh?.id && kernel.db === fresh.db
      return indexDocument(kernel, kind, document, path, hash, isNew ? fresh.number : undefined)
    },
    ...(payload && { events: [pendingEvent(event, { id, by, project, item, payload })] }),
    ...(act && { act }),
  }
}

const pathOfDocument = <D extends Document>(kind: DocumentKind<D>, document: D): string =>
  documentPath(kind, document.project, kind.nameOf(document))

/** The destination of a move, inside both locks. */
async function makeRoom(
  kernel: Kernel,
  files: Files,
  kind: DocumentKind,
  scope: Scope,
  { document, to }: { document: Document; to: Destination },
): Promise<void> {
  const path = pathOfDocument(kind, document)
  const readable = await judgeAdd(kernel.db, scope, document.project)
  if (readable === to.unseen) throw conflict(`${wireProject(to.project)} was closed; try again`)
  if ((await ownerOfPath(kernel.db, kind, path)) === undefined && !(await files.read(path))) return
  throw conflict(nameTaken(kind, document.project, kind.nameOf(document)))
}

export const nameTaken = ({ kind, nameKey }: DocumentKind, project: string, name: string): string =>
  `the ${nameKey} "${name}" is taken by another ${kind} in ${wireProject(project)}`
