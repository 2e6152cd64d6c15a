import { pendingEvent } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import type { Scope } from '../projects/projects.ts'
import { Moved, reachNote, readUnderLock } from './change.ts'
import { dropNote } from './file-kind.ts'
import { noteWritten } from './events.ts'

/** Removes file and row for good; no pointer is left. */
export async function deleteNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  id: string,
): Promise<void> {
  const event = newId(kernel.clock.now())
  for (let attempt = 1; ; attempt++) {
    const found = await reachNote(kernel, reach, id)
    try {
      await kernel.vault.write(kernel, [found.path], async (kernel, files) => {
        const { project, slug } = found
        await readUnderLock(kernel, files, reach, found)
        files.remove(found.path)
        const payload = { slug, deleted: true as const }
        return {
          result: undefined,
          rows: (kernel) => dropNote(kernel, id),
          told: [pendingEvent(noteWritten, { id: event, by, project, item: id, payload })],
        }
      })
      return
    } catch (error) {
      if (!(error instanceof Moved) || attempt === 3) throw error
    }
  }
}
