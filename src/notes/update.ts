import type { Actor, Kernel } from '../kernel/kernel.ts'
import { forbidden, invalid } from '../kernel/refusal.ts'
import { refuseStale } from '../text/stale.ts'
import {
  findPlace,
  openForWriting,
  readRefusal,
  writeRefusal,
  type Scope,
} from '../projects/projects.ts'
import { changeNote, reachNote } from './change.ts'
import { checkTitle } from './checks.ts'
import type { Note } from './file.ts'
import type { StoredNote } from './read.ts'

export interface NotePatch {
  title?: string
  description?: string
  body?: string
  /** '' is the global scope. */
  project?: string
  tags?: string[]
  tags_add?: string[]
  tags_remove?: string[]
}

/** Changes the fields that are given and no others; slug and id stay. */
export async function updateNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  id: string,
  patch: NotePatch,
  expectHash?: string,
): Promise<StoredNote> {
  if (Object.values(patch).every((value) => value === undefined)) {
    throw invalid(
      'nothing to update: pass title, description, body, project, tags, tags_add or tags_remove',
    )
  }
  const title = patch.title?.trim()
  if (title !== undefined) checkTitle(title)
  const to = await destination(kernel, reach, id, patch.project, expectHash)

  return changeNote(
    kernel,
    by,
    reach,
    id,
    (before, file, readable) => {
      refuseStale(file, expectHash, { what: 'note', readable })
      const note: Note = {
        ...before,
        title: title ?? before.title,
        description: patch.description?.trim() ?? before.description,
        body: patch.body ?? before.body,
        project: to ?? before.project,
        tags: patchTags(before.tags, patch),
      }
      return { note, payload: { title: note.title, updated: true } }
    },
    to,
  )
}

function patchTags(before: readonly string[], { tags, tags_add, tags_remove }: NotePatch) {
  const added = [...(tags ?? before), ...(tags_add ?? [])]
  const removed = new Set(tags_remove)
  return [...new Set(added)].filter((tag) => !removed.has(tag))
}

/**
 * Where a move goes, judged and registered; undefined when nothing moves. A hash that is already
 * stale refuses first, so that a refused call registers no project.
 */
async function destination(
  kernel: Kernel,
  reach: Scope,
  id: string,
  asked: string | undefined,
  expectHash: string | undefined,
): Promise<string | undefined> {
  if (asked === undefined) return undefined
  const found = await reachNote(kernel, reach, id)
  if (asked === found.project) return undefined
  const file = await kernel.vault.read(found.path)
  if (file) refuseStale(file, expectHash, { what: 'note', readable: found.readable })
  const old = await findPlace(kernel.db, found.project)
  const refusal = readRefusal(reach.caller, old) ?? writeRefusal(reach.caller, old)
  if (refusal) throw forbidden(refusal)
  return openForWriting(kernel, reach.caller, asked)
}
