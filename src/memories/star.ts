import type { Kernel } from '../kernel/kernel.ts'
import { conflict, notFound } from '../kernel/refusal.ts'
import { refuseUnwritable, type Scope } from '../projects/projects.ts'
import { missing, Moved, readUnderLock, retryMoved } from './change.ts'
import { indexMemory } from './file-kind.ts'
import { required } from './edit.ts'
import { renderMemory } from './file.ts'
import { findByName, findMemory, type FoundMemory } from './store.ts'

/**
 * Sets or clears the star in the head of an active memory's file. No edit: `updated` stays, and a
 * memory that is so already is not written. `act` belongs to it, in the same transaction; it may run
 * again.
 */
export function starMemory(
  kernel: Kernel,
  scope: Scope,
  address: { id: string } | { name: string },
  favorite: boolean,
  act: (kernel: Kernel, memory: { id: string; project: string }) => Promise<void>,
): Promise<{ indexed: boolean }> {
  return retryMoved(async () => {
    const { path } = await locate(kernel, scope, address)
    return kernel.vault.write(kernel, [path], async (kernel, files) => {
      const found = await locate(kernel, scope, address)
      if (found.path !== path) throw new Moved()
      const { file, memory: before } = await readUnderLock(kernel, files, found)
      if (before.invalid_at !== null) throw inactive(before.name)
      const memory = { ...before, favorite }
      const hash = before.favorite === favorite ? file.hash : files.put(path, renderMemory(memory))
      const { id, project } = memory
      return {
        result: undefined,
        rows: (kernel) => indexMemory(kernel, memory, path, hash),
        act: (kernel) => act(kernel, { id, project }),
      }
    })
  })
}

async function locate(
  kernel: Kernel,
  scope: Scope,
  address: { id: string } | { name: string },
): Promise<FoundMemory> {
  const byId = 'id' in address
  const name = byId ? '' : required(address.name)
  const found = byId
    ? await findMemory(kernel.db, address.id, scope)
    : await findByName(kernel.db, name, scope)
  const what = byId
    ? `memory with id ${JSON.stringify(address.id)}`
    : `${missing(name, scope)}; recall finds memories by content`
  refuseUnwritable(scope, found, what)
  if (found.invalid_at === null) return found
  throw found.readable ? inactive(found.name) : notFound(what)
}

const inactive = (name: string) =>
  conflict(
    `memory "${name}" was superseded or archived, and only an active one has a star; ` +
      'memory_read says what replaced it',
  )
