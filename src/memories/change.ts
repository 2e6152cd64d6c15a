/** The frame of every change: find the memory, judge, lock, read the file, change it, write it. */
import type { Static } from 'typebox'
import { pendingEvent } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, notFound, unavailable } from '../kernel/refusal.ts'
import { Unreadable, type FileBytes, type Files } from '../vault/vault.ts'
import { refuseUnwritable, type Scope } from '../projects/projects.ts'
import { checkSize } from './checks.ts'
import { indexMemory } from './file-kind.ts'
import { memoryWritten } from './events.ts'
import { parseMemory, renderMemory, type Memory } from './file.ts'
import { findByName, type FoundMemory } from './store.ts'

/** A memory as it was read or written, with the hash of its whole file. */
export interface StoredMemory extends Memory {
  content_hash: string
  /** False when the file is written and the database stayed away: recall finds it a little later. */
  indexed: boolean
  /** Whether the caller may see the content: a write may be allowed where a read is not. */
  readable: boolean
}

/** What a change makes of a memory, and what the event says of it; nothing when it stays as it is. */
export interface Change {
  memory: Memory
  payload: Static<typeof memoryWritten.payload>
}

/** The item was moved, or came or went, between the look-up and the lock. */
export class Moved extends Error {}

/** Finds again and starts again when what was found is no longer so under the lock. */
export async function retryMoved<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Moved)) throw error
      if (tries === 3) throw conflict('the memory is being moved by others; try again')
    }
  }
}

/**
 * One change of one active memory: found by its name, judged, read inside its lock, changed, written.
 *
 * `advice` ends the answer of a miss.
 */
export async function changeMemory(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  { name, advice }: { name: string; advice: string },
  change: (memory: Memory, file: FileBytes, readable: boolean) => Change | undefined,
): Promise<StoredMemory> {
  const event = newId(kernel.clock.now())
  return retryMoved(async () => {
    const { path } = await reachActive(kernel, scope, name, advice)
    const { result, indexed } = await kernel.vault.write(kernel, [path], async (kernel, files) => {
      const found = await reachActive(kernel, scope, name, advice)
      if (found.path !== path) throw new Moved()
      const { file, memory: before } = await readUnderLock(kernel, files, found)
      if (before.invalid_at !== null) throw inactive(name)
      const changed = change(before, file, found.readable)
      if (!changed)
        return unchanged({ ...before, content_hash: file.hash, readable: found.readable })
      const { memory, payload } = changed
      checkSize(memory.body)
      memory.updated = files.nextTime(before.updated)
      if (by.model && memory.body !== before.body) memory.model = by.model
      const hash = files.put(path, renderMemory(memory))
      const { id, project } = memory
      return {
        result: { ...memory, content_hash: hash, readable: found.readable },
        rows: (kernel) => indexMemory(kernel, memory, path, hash),
        told: [pendingEvent(memoryWritten, { id: event, by, project, item: id, payload })],
      }
    })
    return { ...result, indexed }
  })
}

const unchanged = (result: Omit<StoredMemory, 'indexed'>) => ({ result, async rows() {} })

/** The active memory of the name that the caller may write. */
async function reachActive(
  kernel: Kernel,
  scope: Scope,
  name: string,
  advice: string,
): Promise<FoundMemory> {
  const found = await findByName(kernel.db, name, scope)
  const what = missing(name, scope)
  refuseUnwritable(scope, found, `${what}; ${advice}`)
  if (found.invalid_at === null) return found
  if (found.readable) throw inactive(name)
  throw notFound(`${what}; ${advice}`)
}

const inactive = (name: string) =>
  conflict(
    `memory "${name}" was superseded or archived and is changed no more; ` +
      'memory_read says what replaced it, memory_delete frees its name',
  )

/** What was looked for and where, as every miss tells it. */
export function missing(
  name: string,
  { project, searched }: Pick<Scope, 'project' | 'searched'>,
): string {
  const what = `memory "${name}" in`
  if (project === '') return `${what} global`
  if (searched.includes('')) return `${what} project "${project}" nor in global`
  return `${what} project "${project}"; global is outside this session's world`
}

/** The file of a memory, read inside its lock. Without it nothing is written: it alone has every key. */
export async function readUnderLock(
  kernel: Kernel,
  files: Files,
  { id, name, path }: { id: string; name: string; path: string },
): Promise<{ file: FileBytes; memory: Memory }> {
  const file = await files.read(path)
  if (!file) {
    await kernel.vault.assertPresent()
    throw notFound(`memory "${name}": its file was removed`)
  }
  return { file, memory: understand(file, id) }
}

/** The memory in a file that is known to be one; says what is wrong when it no longer is. */
export function understand(file: FileBytes, id: string): Memory {
  const memory = parse(file)
  if (memory.id !== id) {
    throw notFound(`memory "${memory.name}" with id "${id}": its file holds another memory now`)
  }
  return memory
}

export function parse(file: FileBytes): Memory {
  try {
    return parseMemory(file)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    throw unavailable(
      `the memory's file ${file.path} cannot be understood: ${error.message}; nothing was changed`,
      error,
    )
  }
}
