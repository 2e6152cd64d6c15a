import type { FileBytes } from '../vault/vault.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { addsUnseen, refuseUnseenPlan, wireProject, type Scopes } from '../projects/projects.ts'
import {
  changeDocument,
  hashAfter,
  nameAt,
  patchTags,
  reachDocument,
  refuseStale,
  understandFound,
  type Destination,
  type TagPatch,
  type Target,
} from '../documents/documents.ts'
import { checkTitle, joinsPlan } from './create.ts'
import { noteDocument } from './document.ts'
import type { Note, StoredNote } from './file.ts'

export interface NotePatch extends TagPatch {
  title?: string
  description?: string
  body?: string
  /** '' is the global scope. */
  project?: string
}

/** Changes the fields that are given and no others; id stays, and the slug but for a move behind a fence. */
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
  const whole = patch.body !== undefined
  const to = await destination(kernel, scopes, target, patch.project, (file, id) => {
    refuseStale(file, expectHash, 'note', { whole })
    withTags(understandFound(noteDocument, file, id).tags, patch)
  })
  const change = (before: Note, file: FileBytes) => {
    refuseStale(file, expectHash, 'note', { whole })
    const document: Note = {
      ...before,
      title: title ?? before.title,
      description: patch.description?.trim() ?? before.description,
      body: patch.body ?? before.body,
      ...(to && { project: to.project, slug: nameAt(to, { name: before.slug, id: before.id }) }),
      tags: withTags(before.tags, patch),
    }
    if (to?.unseen && joinsPlan(document.tags)) refuseUnseenPlan(to)
    return { document, payload: { title: document.title, updated: true } }
  }
  const stored = await changeDocument(kernel, scopes.actor, noteDocument, target, change, to)
  return { ...stored, content_hash: hashAfter(expectHash, stored.content_hash) }
}

/**
 * Where a move goes, judged and registered; undefined when nothing moves. A hash that is already
 * stale and tags that may not be refuse first, so that a refused call registers no project.
 */
async function destination(
  kernel: Kernel,
  scopes: Pick<Scopes, 'write'>,
  target: Target,
  asked: string | undefined,
  refuse: (file: FileBytes, id: string) => void,
): Promise<Destination | undefined> {
  if (asked === undefined) return undefined
  const found = await reachDocument(kernel, noteDocument, target, 'change')
  if (asked === found.project) return undefined
  const file = await kernel.vault.read(found.path)
  if (file) refuse(file, found.id)
  const project = await scopes.write(wireProject(asked))
  return { project, unseen: await addsUnseen(kernel.db, target.scope, project) }
}

/**
 * The tags after the patch. A captured plan, which has a status, is found by two more: a list that leaves them out
 * would part it from its steps and from its owner. Another plan, or `tags_remove`, takes them away.
 */
function withTags(before: readonly string[], patch: TagPatch): string[] {
  const { tags } = patch
  const isPlan = before.some((tag) => tag.startsWith('plan-status:'))
  if (!tags || !isPlan) return patchTags(before, patch)
  const marks = before.filter((tag) => tag === 'cc-plan')
  const joined = joinsPlan(tags) ? [] : before.filter((tag) => joinsPlan([tag]))
  return patchTags(before, { ...patch, tags: [...tags, ...joined, ...marks] })
}
