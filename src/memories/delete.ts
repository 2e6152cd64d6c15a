import { pendingEvent } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { notFound } from '../kernel/refusal.ts'
import { refuseUnwritable, type Scope } from '../projects/projects.ts'
import { missing, Moved, retryMoved } from './change.ts'
import { dropMemory } from './file-kind.ts'
import { required } from './edit.ts'
import { memoryArchived } from './events.ts'
import { findByName, type FoundMemory } from './store.ts'

/**
 * Removes file and row for good; nothing is left in its place. Reaches memories that were superseded
 * or archived too: deleting is how their name is freed.
 */
export async function deleteMemory(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  asked: string,
): Promise<FoundMemory> {
  const name = required(asked)
  const event = newId(kernel.clock.now())
  return retryMoved(async () => {
    const { path } = await reach(kernel, scope, name)
    const { result } = await kernel.vault.write(kernel, [path], async (kernel, files) => {
      const found = await reach(kernel, scope, name)
      if (found.path !== path) throw new Moved()
      if (!(await files.read(path))) {
        await kernel.vault.assertPresent()
        throw notFound(`memory "${name}": its file was removed`)
      }
      files.remove(path)
      const { id, project } = found
      const payload = { name, deleted: true as const }
      return {
        result: found,
        rows: (kernel) => dropMemory(kernel, id),
        told: [pendingEvent(memoryArchived, { id: event, by, project, item: id, payload })],
      }
    })
    return result
  })
}

async function reach(kernel: Kernel, scope: Scope, name: string): Promise<FoundMemory> {
  const found = await findByName(kernel.db, name, scope)
  refuseUnwritable(scope, found, `${missing(name, scope)}; recall finds memories by content`)
  return found
}
