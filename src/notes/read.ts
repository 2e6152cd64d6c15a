import { readDocument, type Stored } from '../documents/documents.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { indexingOf } from '../passages/passages.ts'
import type { Scope } from '../projects/projects.ts'
import { slugify } from '../text/slug.ts'
import { noteDocument } from './document.ts'
import type { Note } from './file.ts'

export type NoteAddress = { id: string } | { slug: string }

export interface ReadNote extends Stored<Note> {
  /** How far it has come, while the background still indexes it. */
  indexing: Awaited<ReturnType<typeof indexingOf>>
}

/** Reads what an agent asks for: demand, which leaves an event. */
export async function readNote(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  asked: NoteAddress,
): Promise<ReadNote> {
  const address = 'id' in asked ? asked : { name: slugify(asked.slug) }
  const place = { scope, address }
  const [note, indexing] = await readDocument(kernel, by, noteDocument, place, ({ id }) =>
    indexingOf(kernel.db, 'note', id),
  )
  return { ...note, indexing }
}
