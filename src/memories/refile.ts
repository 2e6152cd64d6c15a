/** A memory that holds elsewhere, or is of another kind, than its writer thought. Its text stays. */
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { documentPath, nameTaken, ownerOfPath, type Stored } from '../documents/documents.ts'
import { wireProject } from '../projects/projects.ts'
import { act, type Acting } from './act.ts'
import { memoryDocument } from './document.ts'
import { memoryMoved } from './events.ts'
import type { Memory } from './file.ts'
import type { MemoryKind } from './kinds.ts'
import { refuseEnded } from './lifecycle.ts'

/**
 * Moves a memory to another project, '' for global, under its name and its id. Where it is already is a success
 * that changes nothing. The project is there, and may be written.
 *
 * Refused when the memory is no longer active, and when its name is taken there.
 */
export function moveMemory(
  kernel: Kernel,
  by: Actor,
  id: string,
  to: string,
  { plan = '', ...acting }: Acting & { plan?: string } = {},
): Promise<Stored<Memory>> {
  const also = ({ name }: { name: string }) => [documentPath(memoryDocument, to, name)]
  return act(kernel, by, { id, also }, acting, async (before, { kernel, files, now: updated }) => {
    refuseEnded(before)
    const { project: from, name } = before
    if (from === to) return undefined
    const path = documentPath(memoryDocument, to, name)
    const [owner, file] = await Promise.all([
      ownerOfPath(kernel.db, memoryDocument, path),
      files.read(path),
    ])
    if (owner !== undefined || file) throw conflict(nameTaken(memoryDocument, to, name))
    return {
      document: { ...before, project: to, updated },
      event: memoryMoved,
      payload: { from: wireProject(from), to: wireProject(to), ...(plan && { plan }) },
    }
  })
}

/** Makes a memory one of another kind; of that kind already, it is left as it is. Refused when it has ended. */
export function rekindMemory(
  kernel: Kernel,
  by: Actor,
  id: string,
  kind: MemoryKind,
  acting?: Acting,
): Promise<Stored<Memory>> {
  return act(kernel, by, { id }, acting, async (before, { now: updated }) => {
    refuseEnded(before)
    if (before.kind === kind) return undefined
    return {
      document: { ...before, kind, updated },
      payload: { kind_from: before.kind, kind_to: kind },
    }
  })
}
