import { unifiedDiff } from '../text/diff.ts'
import { applyEdits, type Edit } from '../text/edits.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { refuseStale } from '../text/stale.ts'
import type { Scope } from '../projects/projects.ts'
import { changeMemory, type StoredMemory } from './change.ts'
import { checkSize, memoryName, shortDescription } from './checks.ts'
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
  scope: Scope,
  asked: string,
  { edits, description, tags_add, tags_remove }: MemoryPatch,
  expectHash?: string,
): Promise<StoredMemory & { diff: string }> {
  const name = required(asked)
  if ([edits, description, tags_add, tags_remove].every((value) => value === undefined)) {
    throw invalid('nothing to change: pass edits, description, tags_add or tags_remove')
  }
  if (description?.trim() === '') throw invalid('description must not be blank')
  let diff = ''
  const how = { name, advice: 'create it with memory_write, or pass project' }
  const memory = await changeMemory(kernel, by, scope, how, (before, file, readable) => {
    refuseStale(file, expectHash, { what: 'memory', readable })
    const removed = new Set(tags_remove)
    const tags = [...new Set([...before.tags, ...(tags_add ?? [])])]
    const memory: Memory = {
      ...before,
      body: edits ? applyEdits(before.body, edits) : before.body,
      description: description === undefined ? before.description : shortDescription(description),
      tags: tags.filter((tag) => !removed.has(tag)),
    }
    if (sameText(memory, before)) return undefined
    diff = unifiedDiff(before.body, memory.body)
    return { memory, payload: { name, edited: true, diff } }
  })
  return { ...memory, diff }
}

const sameText = (a: Memory, b: Memory): boolean =>
  a.body === b.body &&
  a.description === b.description &&
  JSON.stringify(a.tags) === JSON.stringify(b.tags)

/** Adds a line or more at the end. Needs no hash: appends of many agents all land. */
export async function appendMemory(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  asked: string,
  text: string,
): Promise<StoredMemory> {
  const name = required(asked)
  if (text.trim() === '') throw invalid('body must not be blank')
  checkSize(text)
  const how = { name, advice: 'create it with memory_write, or pass project' }
  return changeMemory(kernel, by, scope, how, (before) => {
    const old = before.body.replace(/[\r\n]+$/, '')
    const body = `${old && `${old}\n`}${text}\n`
    return { memory: { ...before, body }, payload: { name, appended: true } }
  })
}

/** The name in slug form; a blank one names nothing. */
export function required(asked: string): string {
  const name = memoryName(asked)
  if (name === '') throw invalid('name is required')
  return name
}
