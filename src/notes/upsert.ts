import { writeDocument, type Standing } from '../documents/documents.ts'
import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import type { Scope } from '../projects/projects.ts'
import { cutSlug, slugify } from '../text/slug.ts'
import { checkTitle } from './create.ts'
import { noteDocument } from './document.ts'
import type { Note, StoredNote } from './file.ts'

/** What an upserted note says; id, creation, star and source stay what they are. */
export interface Composed {
  title: string
  description: string
  body: string
  tags: readonly string[]
  /** Keys of the head beside the known ones; keys not named here stay. */
  extra?: Record<string, unknown>
}

export interface Upsert {
  /** By which the note is found again: its slug, or what the slug is made from. */
  name: string
  /** Of the notes that take the same turn in a project one is written after the other. */
  turn?: string
  /**
   * Makes the note from what it said before, under its lock, and asks `db` what only holds there; `now` is the
   * database's. Undefined leaves everything as it is. May run again.
   */
  compose(
    before: Note | undefined,
    now: Date,
    db: Db,
  ): Composed | undefined | Promise<Composed | undefined>
  /** What else belongs to the act, in the transaction of the note. Idempotent, as `Decision.act` is. */
  act?(kernel: Kernel, note: Note): Promise<unknown>
}

/**
 * Creates the note of a slug that its writer knows, or changes the one that is there. Undefined when
 * nothing changed.
 *
 * For what is captured again and again under one name. `project` has been resolved; whether the
 * scope may write there is judged once more inside the transaction.
 */
export async function upsertNote(
  kernel: Kernel,
  by: Actor,
  { project, scope }: { project: string; scope: Scope },
  { name, turn, compose, act }: Upsert,
): Promise<StoredNote | undefined> {
  const place = { project, scope, name: slugify(name), cut: cutSlug(name) }
  const write = async (standing: Standing<Note>) => {
    const before = await standing.before()
    const stamped = standing.stamped(before)
    const composed = await compose(before, stamped.updated, standing.db)
    if (!composed) return undefined
    checkTitle(composed.title)
    const document: Note = {
      slug: standing.name,
      source_url: '',
      ...before,
      ...stamped,
      ...composed,
      tags: [...new Set(composed.tags)],
      extra: { ...stamped.extra, ...composed.extra },
    }
    const payload = { title: document.title, ...(before && { updated: true }) }
    return { document, payload, act: act && ((kernel: Kernel) => act(kernel, document)) }
  }
  return writeDocument(kernel, by, noteDocument, place, write, { turn })
}
