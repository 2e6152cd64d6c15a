import type { FileBytes } from '../vault/vault.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { refuseStale } from '../text/stale.ts'
import { judge, refuseRead, refuseWrite, wireProject, type Scopes } from '../projects/projects.ts'
import {
  changeDocument,
  patchTags,
  reachDocument,
  type TagPatch,
  type Target,
} from '../documents/documents.ts'
import { checkTitle } from './create.ts'
import { noteDocument } from './document.ts'
import type { Note, StoredNote } from './file.ts'

export interface NotePatch extends TagPatch {
  title?: string
  description?: string
  body?: string
  /** '' is the global scope. */
  project?: string
}

/** Changes the fields that are given and no others; slug and id stay. */
export async function updateNote(
  kernel: Kernel,
  scopes: Pick<Scopes, 'actor' | 'write'>,
  target: Target,
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
  const to = await destination(kernel, scopes, target, patch.project, expectHash)
  const change = (before: Note, file: FileBytes, readable: boolean) => {
    refuseStale(file, expectHash, { what: 'note', readable })
    const document: Note = {
      ...before,
      title: title ?? before.title,
      description: patch.description?.trim() ?? before.description,
      body: patch.body ?? before.body,
      project: to ?? before.project,
      tags: patchTags(before.tags, patch),
    }
    return { document, payload: { title: document.title, updated: true } }
  }
  return changeDocument(kernel, scopes.actor, noteDocument, target, change, to)
}

/**
 * Where a move goes, judged and registered; undefined when nothing moves. A hash that is already
 * stale refuses first, so that a refused call registers no project.
 */
async function destination(
  kernel: Kernel,
  scopes: Pick<Scopes, 'write'>,
  target: Target,
  asked: string | undefined,
  expectHash: string | undefined,
): Promise<string | undefined> {
  if (asked === undefined) return undefined
  const { caller } = target.scope
  const found = await reachDocument(kernel.db, noteDocument, target, 'change')
  if (asked === found.project) return undefined
  const file = await kernel.vault.read(found.path)
  if (file) refuseStale(file, expectHash, { what: 'note', readable: found.readable })
  const old = await judge(kernel.db, caller, found.project)
  refuseRead(caller, old)
  refuseWrite(caller, old)
  return scopes.write(wireProject(asked))
}
