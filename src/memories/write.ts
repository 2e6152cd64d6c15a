import { pendingEvent } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Db, Kernel } from '../kernel/kernel.ts'
import { conflict, invalid, unavailable } from '../kernel/refusal.ts'
import type { FileBytes } from '../vault/vault.ts'
import { judgeWrite, wireProject, type Scope } from '../projects/projects.ts'
import { parse } from './change.ts'
import { checkSize, memoryName, shortDescription } from './checks.ts'
import { indexMemory } from './file-kind.ts'
import { memoryWritten } from './events.ts'
import { memoryPath, renderMemory, type Memory } from './file.ts'
import type { MemoryKind } from './kinds.ts'
import { ownerOfPath, pathOfMemory } from './store.ts'

export interface MemoryDraft {
  name: string
  kind: MemoryKind
  description: string
  body: string
  /** Replaces all tags; left out, those of an existing memory stay. */
  tags?: string[]
}

export interface WrittenMemory extends Memory {
  content_hash: string
  /** Whether it replaced what an active memory of the name said. */
  rewritten: boolean
  indexed: boolean
  /** Whether the caller may see the content: a write may be allowed where a read is not. */
  readable: boolean
}

/** Refuses a draft that could never be a memory, before any project is resolved or registered. */
export function checkDraft({ name, description, body }: MemoryDraft): void {
  if ([name, description, body].some((text) => text.trim() === '')) {
    throw invalid('name, kind, description and body are all required and must not be blank')
  }
  memoryName(name)
  checkSize(body)
}

/**
 * Writes a memory: a new one, or in place over the active one that has the name in this project,
 * whose id, times of origin, star, session and unknown keys stay. A name that an inactive memory
 * holds is refused. `project` has been resolved and judged for writing.
 */
export async function writeMemory(
  kernel: Kernel,
  by: Actor,
  { project, scope }: { project: string; scope: Scope },
  draft: MemoryDraft,
): Promise<WrittenMemory> {
  checkDraft(draft)
  const name = memoryName(draft.name)
  const path = memoryPath(project, name)
  const event = newId(kernel.clock.now())
  const id = newId(kernel.clock.now())

  const { result, indexed } = await kernel.vault.write(kernel, [path], async (kernel, files) => {
    const [readable, owner, file] = await Promise.all([
      judgeWrite(kernel.db, scope, project),
      ownerOfPath(kernel.db, path),
      files.read(path),
    ])
    const before = await standing(kernel.db, path, { owner, file }, readable)
    const now = files.nextTime(before?.updated)
    const says = {
      kind: draft.kind,
      description: shortDescription(draft.description),
      body: draft.body,
      updated: now,
    }
    const memory: Memory = before
      ? { ...before, ...says, model: by.model || before.model, tags: draft.tags ?? before.tags }
      : {
          id,
          name,
          project,
          created: now,
          valid_from: now,
          invalid_at: null,
          superseded_by: '',
          source_session: by.session,
          model: by.model,
          favorite: false,
          extra: {},
          tags: draft.tags ?? [],
          ...says,
        }
    memory.tags = [...new Set(memory.tags)]
    const hash = files.put(path, renderMemory(memory))
    const payload = { name, kind: memory.kind, updated: before !== undefined }
    return {
      result: { ...memory, content_hash: hash, rewritten: before !== undefined, readable },
      rows: (kernel) => indexMemory(kernel, memory, path, hash),
      told: [pendingEvent(memoryWritten, { id: event, by, project, item: memory.id, payload })],
    }
  })
  return { ...result, indexed }
}

/** The active memory at the path, if there is one. Whatever else holds the path is a refusal. */
async function standing(
  db: Db,
  path: string,
  { owner, file }: { owner: string | undefined; file: FileBytes | undefined },
  readable: boolean,
): Promise<Memory | undefined> {
  if (!file) {
    if (owner === undefined) return undefined
    throw unavailable('the file of the memory with this name was removed; try again in a moment')
  }
  const memory = readable ? parse(file) : parseBlind(file)
  const { id, name, project } = memory
  const elsewhere = await pathOfMemory(db, id)
  if ((owner !== undefined && owner !== id) || (elsewhere !== undefined && elsewhere !== path)) {
    throw conflict(
      `the path of memory "${name}" in ${wireProject(project)} is occupied by another item`,
    )
  }
  if (memory.invalid_at === null) return memory
  throw conflict(
    `the name "${name}" is still held in ${wireProject(project)} by a superseded or archived ` +
      'memory; choose another name, or free this one with memory_delete',
  )
}

/** Whoever may not read there learns nothing of what the file holds. */
function parseBlind(file: FileBytes): Memory {
  try {
    return parse(file)
  } catch (error) {
    throw unavailable('what has this name cannot be understood; nothing was changed', error)
  }
}
