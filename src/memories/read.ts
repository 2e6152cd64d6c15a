import { record } from '../kernel/events.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { notFound } from '../kernel/refusal.ts'
import { databaseTrouble } from '../kernel/trouble.ts'
import { settle } from '../vault/settle.ts'
import { wireProject, type Scope } from '../projects/projects.ts'
import { missing, understand, type StoredMemory } from './change.ts'
import { memoryFileKind } from './file-kind.ts'
import { required } from './edit.ts'
import { memoryRead } from './events.ts'
import type { Memory } from './file.ts'
import { findByName, findMemory, type FoundMemory } from './store.ts'

export type MemoryAddress = { id: string } | { name: string; scope: Scope }

export interface ReadMemory extends StoredMemory {
  /** Of a memory that is no longer active: since when, and what replaced it. */
  warning?: string
}

/** What an agent asks for: demand, which leaves an event. */
export async function readMemory(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  address: MemoryAddress,
): Promise<ReadMemory> {
  const found = await locate(kernel, reach, address)
  const file = await kernel.vault.read(found.path)
  // Rows of a file that is gone are dropped by those who see how many are gone at once.
  if (!file) throw notFound(`memory "${found.name}": its file was removed`)
  if (file.hash !== found.content_hash) await settleQuietly(kernel, found.path)
  const memory = understand(file, found.id)
  await remember(kernel, by, memory)
  const warning = await warningOf(kernel, reach, memory)
  return {
    ...memory,
    content_hash: file.hash,
    indexed: true,
    readable: true,
    ...(warning && { warning }),
  }
}

async function locate(kernel: Kernel, reach: Scope, address: MemoryAddress): Promise<FoundMemory> {
  if ('id' in address) {
    const found = await findMemory(kernel.db, address.id, reach)
    if (!found?.readable) throw notFound(`memory with id ${JSON.stringify(address.id)}`)
    return found
  }
  const name = required(address.name)
  const found = await findByName(kernel.db, name, address.scope)
  if (found?.readable) return found
  throw notFound(`${missing(name, address.scope)}; try recall, or its id`)
}

/** The file is the truth: its row follows when it says something else. */
async function settleQuietly(kernel: Kernel, path: string): Promise<void> {
  await settle(kernel, memoryFileKind, path).catch((error: unknown) =>
    kernel.log.warn({ err: error, path }, 'a changed memory was not indexed'),
  )
}

async function remember(kernel: Kernel, by: Actor, { project, id, name }: Memory): Promise<void> {
  try {
    await record(kernel, memoryRead, { by, project, item: id, payload: { name } })
  } catch (error) {
    // A database that takes no writes costs the event, not the answer.
    if (!databaseTrouble(error)) throw error
    kernel.log.warn({ err: error }, 'a read was not recorded')
  }
}

async function warningOf(
  kernel: Kernel,
  reach: Scope,
  { invalid_at, superseded_by }: Memory,
): Promise<string | undefined> {
  if (invalid_at === null) return undefined
  const day = invalid_at.toISOString().slice(0, 10)
  if (superseded_by === '') return `archived on ${day}; no longer active`
  const next = await findMemory(kernel.db, superseded_by, reach)
  if (!next?.readable) return `superseded on ${day}; no longer active`
  return `superseded by ${memoryRef(next)} (${next.id}) on ${day}; read that instead`
}

/** How a memory is named across projects: `project/name`, a global one by its name. */
export const memoryRef = ({ project, name }: { project: string; name: string }): string =>
  project === '' ? name : `${wireProject(project)}/${name}`
