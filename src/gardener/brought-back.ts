/** What the undo of an apply tells of the memories and notes that it brings back. */
import { parseDocument } from '../documents/documents.ts'
import { pendingEvent } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { PendingEvent } from '../kernel/event-kind.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { memoryDocument, memoryMoved, memoryWritten, type Memory } from '../memories/memories.ts'
import { noteDocument, noteFileKind, noteWritten } from '../notes/notes.ts'
import { wireProject } from '../projects/projects.ts'
import type { FileBytes } from '../vault/vault.ts'
import { GARDENER } from './effects/effect.ts'

export const isNote = (path: string): boolean => path.startsWith(`${noteFileKind.root}/`)

/**
 * Returns an event for each file that is restored.
 *
 * @param left the files as the apply left them
 */
export function broughtBack(
  { clock }: Kernel,
  by: Actor,
  left: readonly FileBytes[],
  restored: readonly FileBytes[],
): PendingEvent[] {
  const memories = left.filter(({ path }) => !isNote(path)).map(memoryIn)
  return restored.map((file) => {
    const id = newId(clock.now())
    if (isNote(file.path)) {
      const { id: item, project, title } = parseDocument(noteDocument, file)
      return pendingEvent(noteWritten, {
        ...{ id, by, project, item },
        payload: { title, updated: true },
      })
    }
    const memory = memoryIn(file)
    const { id: item, project, name } = memory
    const was = memories.find((one) => one.id === item) ?? memory
    const told = { name, by: GARDENER.agent! }
    return was.project === project
      ? pendingEvent(memoryWritten, {
          ...{ id, by, project, item },
          payload: { ...told, ...changeOf(was, memory) },
        })
      : pendingEvent(memoryMoved, {
          ...{ id, by, project, item },
          payload: {
            ...told,
            from: wireProject(was.project),
            to: wireProject(project),
            restored: true,
          },
        })
  })
}

const memoryIn = (file: FileBytes): Memory => parseDocument(memoryDocument, file)

function changeOf(was: Memory, now: Memory) {
  if (was.invalid_at !== null && now.invalid_at === null) return { revived: true as const }
  if (was.kind !== now.kind) return { kind_from: was.kind, kind_to: now.kind }
  return { updated: true }
}
