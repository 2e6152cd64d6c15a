import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, invalid, unavailable } from '../kernel/refusal.ts'
import {
  checkSize,
  patchTags,
  refuseStale,
  writeDocument,
  type Beside,
  type Standing,
  type Stored,
} from '../documents/documents.ts'
import type { FileTimes } from '../vault/vault.ts'
import { wireProject, type Scope } from '../projects/projects.ts'
import { cutSlug } from '../text/slug.ts'
import { memoryName, nameOrNone, shortDescription } from './checks.ts'
import { memoryDocument } from './document.ts'
import type { Memory } from './file.ts'
import type { MemoryKind } from './kinds.ts'

export interface MemoryDraft {
  name: string
  kind: MemoryKind
  description: string
  body: string
  /** Replaces all tags; left out, those of an existing memory stay. */
  tags?: string[]
  /** When it was made and changed elsewhere, of one that is new here; now when left out. */
  dates?: FileTimes
}

export interface WrittenMemory extends Stored<Memory> {
  /** Whether it replaced what an active memory of the name said. */
  rewritten: boolean
  /** Whether its writer may not read where it lies: then it is new, under a name of its own. */
  unseen: boolean
}

/** An agent chose the name and the tags of a memory, or its owner brought it in. */
type Author = 'agent' | 'owner'

/**
 * Refuses a draft that could never be a memory, before any project is resolved or registered. Returns its
 * name; '' when none can be made of what its owner brought in.
 */
export function checkDraft({ name, description, body }: MemoryDraft, of: Author = 'agent'): string {
  if ([name, description, body].some((text) => text.trim() === '')) {
    throw invalid('name, kind, description and body are all required and must not be blank')
  }
  checkSize(memoryDocument, body)
  return of === 'owner' ? nameOrNone(name) : memoryName(name)
}

/** The same before a project is registered for it, in which there is nothing yet that it could rewrite. */
export function checkFirst(draft: MemoryDraft, expectHash: string | undefined): void {
  patchTags([], draft)
  refuseHash(expectHash, memoryName(draft.name))
}

export interface WriteOptions extends Beside {
  /** Who writes: an owner sets every tag. */
  of?: Author
  /** The hash of the memory that the writer means to replace, and has read whole. */
  expectHash?: string | undefined
}

/**
 * Writes a memory: a new one, or in place over the active one that has the name in this project,
 * whose id, times of origin, star, session and unknown keys stay. A name that an inactive memory
 * holds is refused. `project` has been resolved and judged for writing. The tags of an agent are judged.
 */
export async function writeMemory(
  kernel: Kernel,
  by: Actor,
  { project, scope }: { project: string; scope: Scope },
  draft: MemoryDraft,
  { of = 'agent', expectHash, ...beside }: WriteOptions = {},
): Promise<WrittenMemory> {
  const name = checkDraft(draft, of)
  let [rewritten, unseen] = [false, false]
  const compose = async (standing: Standing<Memory>) => {
    unseen = standing.unseen
    const before = await standing.before()
    if (!before && standing.owner !== undefined) {
      throw unavailable('the file of the memory with this name was removed; try again in a moment')
    }
    if (before && before.invalid_at !== null) throw nameHeld(before)
    refuseUnread(standing, expectHash, name)
    rewritten = before !== undefined
    const stamped = { ...standing.stamped(before), ...(!before && datesOf(draft)) }
    const document: Memory = {
      name: standing.name,
      valid_from: stamped.created,
      invalid_at: null,
      superseded_by: '',
      source_session: by.session,
      ...before,
      ...stamped,
      kind: draft.kind,
      description: shortDescription(draft.description),
      body: draft.body,
      tags: of === 'owner' ? [...new Set(draft.tags)] : patchTags(stamped.tags, draft),
    }
    return { document, payload: { name: document.name, kind: draft.kind, updated: rewritten } }
  }
  const place = { project, scope, name, cut: cutSlug(draft.name) }
  const written = await writeDocument<Memory, never>(
    kernel,
    by,
    memoryDocument,
    place,
    compose,
    beside,
  )
  return { ...written, rewritten, unseen }
}

const datesOf = ({ dates }: MemoryDraft) => dates && { created: dates.made, updated: dates.changed }

/** A hash belongs to a memory that is there, and was read whole. */
function refuseUnread({ file }: Standing<Memory>, hash: string | undefined, name: string) {
  if (file) refuseStale(file, hash, 'memory', { whole: true })
  else refuseHash(hash, name)
}

function refuseHash(hash: string | undefined, name: string): void {
  if (hash?.trim()) throw conflict(`expect_hash: there is no memory "${name}" to rewrite`)
}

const nameHeld = ({ name, project }: Memory) =>
  conflict(
    `the name "${name}" is still held in ${wireProject(project)} by a superseded or archived ` +
      'memory; choose another name, or free this one with memory_delete',
  )
