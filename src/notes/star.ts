import type { Kernel } from '../kernel/kernel.ts'
import { slugify } from '../text/slug.ts'
import { refuseUnwritable, type Scope } from '../projects/projects.ts'
import { Moved, reachNote, readUnderLock } from './change.ts'
import { indexNote } from './file-kind.ts'
import { renderNote } from './file.ts'
import { searchedWords, understand } from './read.ts'
import { findNoteBySlug, type FoundNote } from './store.ts'

/**
 * Sets or clears the star in the head of a note's file. No edit: `updated` stays, and a note that is
 * so already is not written. `act` belongs to it, in the same transaction; it may run again.
 */
export async function starNote(
  kernel: Kernel,
  scope: Scope,
  address: { id: string } | { slug: string },
  favorite: boolean,
  act: (kernel: Kernel, note: { id: string; project: string }) => Promise<void>,
): Promise<{ indexed: boolean }> {
  for (let attempt = 1; ; attempt++) {
    const found = await locate(kernel, scope, address)
    const { id, project, path } = found
    try {
      return await kernel.vault.write(kernel, [path], async (kernel, files) => {
        const { file } = await readUnderLock(kernel, files, scope, found)
        const before = understand(file, id)
        const note = { ...before, favorite }
        const hash = before.favorite === favorite ? file.hash : files.put(path, renderNote(note))
        return {
          result: undefined,
          rows: (kernel) => indexNote(kernel, note, path, hash),
          act: (kernel) => act(kernel, { id, project }),
        }
      })
    } catch (error) {
      if (!(error instanceof Moved) || attempt === 3) throw error
    }
  }
}

async function locate(
  kernel: Kernel,
  scope: Scope,
  address: { id: string } | { slug: string },
): Promise<FoundNote> {
  if ('id' in address) return reachNote(kernel, scope, address.id)
  const slug = slugify(address.slug)
  const found = await findNoteBySlug(kernel.db, slug, scope)
  const what = `note with the slug "${slug}" ${searchedWords(scope)}; try recall, or its id`
  refuseUnwritable(scope, found, what)
  return found
}
