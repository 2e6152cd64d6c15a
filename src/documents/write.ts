import { newId } from '../kernel/id.ts'
import type { Actor, Db, Decision, HowWritten, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { addsUnseen, refuseUnaddable, wireProject, type Scope } from '../projects/projects.ts'
import { mayBeCut, ownSlug, slugify } from '../text/slug.ts'
import type { FileBytes, Files } from '../vault/vault.ts'
import { putChange, type Change } from './change.ts'
import { checkSize, documentPath, understand } from './file.ts'
import type { Document, DocumentKind, Put, Stored } from './kind.ts'
import { groundOf, type Ground } from './ground.ts'
import { findPlaced, standingName } from './store.ts'

/** What is at the path already, read inside its lock. */
export interface Standing<D extends Document> {
  /** The name of what is written. */
  name: string
  /** The caller may not read there: what is written is new, and joins nothing. */
  unseen: boolean
  /** Of the transaction that holds the lock. */
  db: Db
  /** The id of the document that owns the path by its row. */
  owner: string | undefined
  file: FileBytes | undefined
  /** Returns what the file says; refuses what it cannot say, and what belongs elsewhere. */
  before(): Promise<D | undefined>
  /** Returns the fields that every write sets in the same way, for a new document or over `before`. */
  stamped(before?: D): Omit<Document, 'description' | 'body'>
}

/** Where a document is written. */
export interface Place {
  project: string
  scope: Scope
  /** '': none can be made, so the document is called by its id. */
  name: string
  /** The name that it had in former times. */
  cut?: string | undefined
}

/** What is asked while it is written. */
export type Beside = Pick<HowWritten<Ground>, 'beside'>

interface How extends Beside {
  /** Of the documents that take the same turn in a project one is written after the other. */
  turn?: string | undefined
}

/** How often a document is tried under a name of its own, or after its project was closed meanwhile. */
const TRIES = 3

/**
 * Writes the document of a name: a new one, or over the one that is there, under its name of former times
 * too. `compose` decides which, inside the lock; undefined leaves everything as it is. It may run again. `project` has
 * been resolved and judged for writing.
 *
 * From outside of a fenced project the document is always a new one, whose name ends in a part of its
 * id. So neither the answer nor what lies there depends on whether the name was free.
 */
export async function writeDocument<D extends Document, U extends undefined = never>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  { project, scope, ...address }: Place,
  compose: (standing: Standing<D>) => Promise<Change<D> | U>,
  how: How = {},
): Promise<Stored<D> | U> {
  for (let tries = 1; ; tries++) {
    const unseen = await addsUnseen(kernel.db, scope, project, { again: tries > 1 })
    const fresh = newId(kernel.clock.now())
    const base = address.name || slugify(fresh)
    const name = unseen
      ? ownSlug(base, fresh)
      : await standingName(kernel.db, kind, project, { ...address, name: base })
    const place = { project, scope, unseen, fresh, name, isNew: name !== address.cut }
    const written = await writeAt(kernel, by, kind, place, compose, how)
    if (written !== ELSEWHERE) return written
    if (tries === TRIES) throw conflict(`the ${kind.kind} was not written; try again`)
  }
}

interface NewPlace {
  project: string
  scope: Scope
  name: string
  /** The id of a new document. */
  fresh: string
  unseen: boolean
  /** A document may be made under this name. */
  isNew: boolean
}

/** The document is none that may be written under this name. */
const ELSEWHERE = Symbol('elsewhere')

async function writeAt<D extends Document, U extends undefined>(
  kernel: Kernel,
  by: Actor,
  kind: DocumentKind<D>,
  { project, scope, name, fresh, unseen, isNew }: NewPlace,
  compose: (standing: Standing<D>) => Promise<Change<D> | U>,
  { beside, turn }: How,
): Promise<Stored<D> | U | typeof ELSEWHERE> {
  const path = documentPath(kind, project, name)
  const event = newId(kernel.clock.now())
  const write = async (
    kernel: Kernel,
    files: Files,
    ground: Ground,
  ): Promise<Decision<Put<D> | U | typeof ELSEWHERE>> => {
    const file = await files.read(path)
    refuseUnaddable(scope, { project, ...ground })
    const { readable, number } = ground
    const owner = ground.owner ?? undefined
    const taken = owner !== undefined || file !== undefined
    if (readable === unseen || (taken ? unseen : !isNew)) {
      return { result: ELSEWHERE, async rows() {} }
    }
    const change = await compose({
      name,
      unseen,
      db: kernel.db,
      owner,
      file,
      before: async () => file && standing(kernel.db, kind, owner, file),
      stamped(before) {
        const updated = files.nextTime(before?.updated)
        const made = { id: owner ?? fresh, project, created: updated, favorite: false }
        const model = by.model || (before?.model ?? '')
        return { ...made, tags: [], uncut: mayBeCut(name), extra: {}, ...before, updated, model }
      },
    })
    if (!change) return { result: change, async rows() {} }
    checkSize(kind, change.document.body)
    const makes = !taken && number !== null
    return putChange(
      files,
      kind,
      { by, event, ...(makes && { fresh: { id: fresh, db: kernel.db, number } }) },
      change,
    )
  }
  // No document is called so: the colon is in no slug.
  const paths = turn === undefined ? [path] : [path, documentPath(kind, project, `turn:${turn}`)]
  const { result, indexed } = await kernel.vault.write(kernel, paths, write, {
    grouped: true,
    ahead: (db) => groundOf(db, { table: kind.table, path, project, caller: scope.caller }),
    ...(beside && { beside }),
  })
  return result === undefined || result === ELSEWHERE ? result : { ...result, indexed }
}

async function standing<D extends Document>(
  db: Db,
  kind: DocumentKind<D>,
  owner: string | undefined,
  file: FileBytes,
): Promise<D> {
  const document = understand(kind, file)
  const { id, project } = document
  const home = owner === undefined ? await findPlaced(db, kind, id) : { id: owner, path: file.path }
  if (!home || (home.id === id && home.path === file.path)) return document
  const called = `${kind.kind} "${kind.nameOf(document)}" in ${wireProject(project)}`
  throw conflict(`the path of ${called} is occupied by another item`)
}
