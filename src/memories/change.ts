/** What agents do to a memory that stands. Each is found by its name, in the project, then in global. */
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import {
  appendToDocument,
  deleteDocument,
  editDocument,
  patchTags,
  starDocument,
  type Found,
  type Stored,
  type Target,
} from '../documents/documents.ts'
import type { Scope } from '../projects/projects.ts'
import type { Edit } from '../text/edits.ts'
import { requiredName, shortDescription } from './checks.ts'
import { memoryDocument } from './document.ts'
import type { Memory } from './file.ts'

const named = (scope: Scope, asked: string, advice: string): Target => ({
  scope,
  address: { name: requiredName(asked) },
  advice,
})
const CREATE = 'create it with memory_write, or pass project'
const SEARCH = 'recall finds memories by content'

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
  scope: Scope,
  asked: string,
  patch: MemoryPatch,
  expectHash?: string,
): Promise<Stored<Memory> & { diff: string }> {
  const target = named(scope, asked, CREATE)
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

/** Adds a line or more at the end. */
export async function appendMemory(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  asked: string,
  text: string,
): Promise<Stored<Memory>> {
  const target = named(scope, asked, CREATE)
  return appendToDocument(kernel, by, memoryDocument, target, text, (old) => old && `${old}\n`)
}

/** Deletes superseded and archived memories too: that is how their name is freed. */
export async function deleteMemory(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  asked: string,
): Promise<Found> {
  return deleteDocument(kernel, by, memoryDocument, named(scope, asked, SEARCH))
}

/** Sets or clears the star of an active memory. */
export async function starMemory(
  kernel: Kernel,
  scope: Scope,
  address: { id: string } | { name: string },
  favorite: boolean,
  act: (kernel: Kernel, memory: { id: string; project: string }) => Promise<void>,
): Promise<{ indexed: boolean }> {
  const target =
    'id' in address ? { scope, address, advice: '' } : named(scope, address.name, SEARCH)
  return starDocument(kernel, memoryDocument, target, favorite, act)
}
