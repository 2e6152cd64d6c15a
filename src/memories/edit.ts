import { editDocument, patchTags, type Stored, type Target } from '../documents/documents.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import type { Edit } from '../text/edits.ts'
import { shortDescription } from './checks.ts'
import { memoryDocument } from './document.ts'
import type { Memory } from './file.ts'

export interface MemoryPatch {
  edits?: readonly Edit[]
  description?: string
  tags_add?: readonly string[]
  tags_remove?: readonly string[]
}

/** Exact search and replace in the body, a new description, tags; all of it or none. */
export async function editMemory(
  kernel: Kernel,
  by: Actor,
  target: Target,
  patch: MemoryPatch,
  expectHash?: string,
): Promise<Stored<Memory> & { diff: string }> {
  const { edits, description, tags_add, tags_remove } = patch
  if ([edits, description, tags_add, tags_remove].every((value) => value === undefined)) {
    throw invalid('nothing to change: pass edits, description, tags_add or tags_remove')
  }
  if (description?.trim() === '') throw invalid('description must not be blank')
  return editDocument(kernel, by, memoryDocument, target, expectHash, edits, (before) => ({
    ...(description !== undefined && { description: shortDescription(description) }),
    tags: patchTags(before.tags, patch),
  }))
}
