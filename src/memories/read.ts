import type { Actor, Kernel } from '../kernel/kernel.ts'
import { findDocument, readDocument, type Stored, type Target } from '../documents/documents.ts'
import { wireProject, type Scope } from '../projects/projects.ts'
import { memoryDocument } from './document.ts'
import type { Memory } from './file.ts'

export interface ReadMemory extends Stored<Memory> {
  /** Of a memory that is no longer active: since when, and what replaced it. */
  warning?: string
}

/** Reads what an agent asks for: demand, which leaves an event. */
export async function readMemory(kernel: Kernel, by: Actor, target: Target): Promise<ReadMemory> {
  const [memory, warning] = await readDocument(kernel, by, memoryDocument, target, (memory) =>
    warningOf(kernel, target.scope, memory),
  )
  return { ...memory, ...(warning && { warning }) }
}

async function warningOf(
  kernel: Kernel,
  scope: Scope,
  { invalid_at, superseded_by }: Memory,
): Promise<string | undefined> {
  if (invalid_at === null) return undefined
  const day = invalid_at.toISOString().slice(0, 10)
  if (superseded_by === '') return `archived on ${day}; no longer active`
  const next = await findDocument(kernel, memoryDocument, scope, { id: superseded_by })
  if (!next?.readable) return `superseded on ${day}; no longer active`
  return `superseded by ${memoryRef(next)} (${next.id}) on ${day}; read that instead`
}

/** How a memory is named across projects: `project/name`, a global one by its name. */
export const memoryRef = ({ project, name }: { project: string; name: string }): string =>
  project === '' ? name : `${wireProject(project)}/${name}`
