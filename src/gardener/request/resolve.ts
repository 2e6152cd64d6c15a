/** What an operation names, as the caller may reach it. */
import type { Kernel } from '../../kernel/kernel.ts'
import { MEMORY_KINDS, type MemoryKind } from '../../memories/memories.ts'
import { judge, parseProject, wireProject } from '../../projects/projects.ts'
import type { Brief } from '../payloads.ts'
import { memoryMeant, type Within } from './meant.ts'
import type { Ambiguous } from './operations.ts'

/** An operation that cannot be proposed. The message is for the caller. */
export class Skipped extends Error {}

/** It names what may be several. */
export class Unclear extends Error {
  readonly ambiguous: Ambiguous
  constructor(ref: string, among: readonly Brief[]) {
    super(`"${ref}" may mean several memories`)
    this.ambiguous = ambiguous(ref, among)
  }
}

export const ambiguous = (ref: string, among: readonly Brief[]): Ambiguous => ({
  ref,
  candidates: among.map(({ id, name, project }) => ({ id, name, project: wireProject(project) })),
})

/** The memory that a reference means, which the caller may change. */
export async function memoryNamed(
  kernel: Kernel,
  within: Within,
  ref: string | undefined,
  field: string,
): Promise<Brief> {
  if (ref === undefined || ref.trim() === '')
    throw new Skipped(`${field} is missing: name a memory`)
  const meant = await memoryMeant(kernel, within, ref)
  if ('memory' in meant) {
    const { name, project } = meant.memory
    if ((await judge(kernel.db, within.scope.caller, project)).writable) return meant.memory
    throw new Skipped(`"${name}" is in ${wireProject(project)}, which is closed to your session`)
  }
  if ('among' in meant) throw new Unclear(ref, meant.among)
  throw new Skipped(`there is no memory ${JSON.stringify(ref)} where you asked`)
}

/** A project that is there, and that the caller may write. */
export async function projectNamed(
  kernel: Kernel,
  { scope }: Within,
  asked: string | undefined,
): Promise<string> {
  const project = parseProject(asked)
  if (project === undefined) throw new Skipped('to is missing: name a project')
  const verdict = await judge(kernel.db, scope.caller, project)
  if (project !== '' && (!verdict.registered || !verdict.readable)) {
    throw new Skipped(
      `there is no project ${JSON.stringify(project)}: make it with project_create, or split one with gardener_split`,
    )
  }
  if (!verdict.writable)
    throw new Skipped(`project ${wireProject(project)} is closed to your session`)
  return project
}

export function kindNamed(asked: string | undefined, field = 'to'): MemoryKind {
  const kind = MEMORY_KINDS.find((kind) => kind === asked?.trim().toLowerCase())
  if (kind) return kind
  throw new Skipped(`${field} must be a kind: ${MEMORY_KINDS.join(', ')}`)
}
