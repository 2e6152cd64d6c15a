/** What agents do to a note that stands. Each is found by its id. */
import {
  appendToDocument,
  deleteDocument,
  editDocument,
  starDocument,
  type Target,
} from '../documents/documents.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import type { Scope } from '../projects/projects.ts'
import type { Edit } from '../text/edits.ts'
import { slugify } from '../text/slug.ts'
import { noteDocument } from './document.ts'
import type { StoredNote } from './file.ts'
import type { NoteAddress } from './read.ts'

export const withId = (scope: Scope, id: string): Target => ({ scope, address: { id }, advice: '' })

/** Exact search and replace in the body; all edits or none. */
export const editNote = (
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  id: string,
  edits: readonly Edit[],
  expectHash?: string,
): Promise<StoredNote & { diff: string }> =>
  editDocument(kernel, by, noteDocument, withId(scope, id), expectHash, edits)

/** Adds a dated paragraph at the end. */
export const appendNote = (
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  id: string,
  text: string,
): Promise<StoredNote> =>
  appendToDocument(kernel, by, noteDocument, withId(scope, id), text, (old) => {
    const stamp = kernel.clock.now().toISOString().slice(0, 16).replace('T', ' ')
    return `${old && `${old}\n\n`}${stamp} -- `
  })

export const deleteNote = (kernel: Kernel, by: Actor, scope: Scope, id: string): Promise<unknown> =>
  deleteDocument(kernel, by, noteDocument, withId(scope, id))

/** Sets or clears the star of a note. */
export function starNote(
  kernel: Kernel,
  scope: Scope,
  asked: NoteAddress,
  favorite: boolean,
  act: (kernel: Kernel, note: { id: string; project: string }) => Promise<void>,
): Promise<{ indexed: boolean }> {
  const address = 'id' in asked ? asked : { name: slugify(asked.slug) }
  const target = { scope, address, advice: 'try recall, or its id' }
  return starDocument(kernel, noteDocument, target, favorite, act)
}
