import {
  answerOf,
  asksPart,
  findDocument,
  readDocument,
  type Asked,
  type Target,
} from '../documents/documents.ts'
import { wireTime } from '../kernel/clock.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { wireProject, type Scope } from '../projects/projects.ts'
import { memoryDocument } from './document.ts'
import type { Memory } from './file.ts'
import { replacedBy, successorOf, type Successor } from './succession.ts'

/** For whom a memory is read. */
interface Reader {
  by: Actor
  /** Bytes for the whole answer; left out, the body may have what one body may have. */
  room?: number | undefined
  /** Keeps that the memory was told. Left out: nobody keeps it. */
  tell?: ((id: string) => Promise<void>) | undefined
}

/**
 * Reads what an agent asks for: demand, which leaves an event. Answers as much of its body as there is room for. What is
 * certain to be answered is told while the rest of the answer is looked up.
 */
export async function readMemory(
  kernel: Kernel,
  target: Target,
  asked: Asked,
  { by, room, tell = async () => {} }: Reader,
) {
  const { db } = kernel
  const { scope } = target
  const isCertain = !asksPart(asked)
  const [found, origin, [replaced, ended]] = await readDocument(
    kernel,
    by,
    memoryDocument,
    target,
    (memory) =>
      Promise.all([
        replacedBy(db, scope, memory.id),
        endingOf(kernel, scope, memory),
        isCertain && tell(memory.id),
      ]),
  )
  const known = {
    id: found.id,
    kind: found.kind,
    name: found.name,
    description: found.description,
    project: wireProject(found.project),
    tags: found.tags,
    source_session: found.source_session,
    created: wireTime(found.created),
    updated: wireTime(found.updated),
    ...origin,
    ...(replaced.length > 0 && { replaced: replaced.map(memoryRef) }),
    ...(found.model && { model: found.model }),
    ...(found.favorite && { favorite: true as const }),
    ...ended,
  }
  const answer = answerOf('memory', known, found, asked, room)
  if (!isCertain) await tell(found.id)
  return answer
}

/** Of a memory that is no longer active: since when, and what stands in its place today. */
interface Ending {
  warning?: string
  current?: { id: string; name: string }
}

async function endingOf(
  kernel: Kernel,
  scope: Scope,
  { invalid_at, superseded_by }: Memory,
): Promise<Ending> {
  if (invalid_at === null) return {}
  const day = dayOf(invalid_at)
  if (superseded_by === '') return { warning: `archived on ${day}; no longer active` }
  const last = await lastOf(kernel, scope, superseded_by)
  if (!last) return { warning: `superseded on ${day}; no longer active` }
  const ref = `${memoryRef(last)} (${last.id})`
  if (last.invalid_at !== null) {
    const then = `what stood in its place last, ${ref}, was archived on ${dayOf(last.invalid_at)}`
    return { warning: `superseded on ${day}; ${then}` }
  }
  const warning =
    last.id === superseded_by
      ? `superseded by ${ref} on ${day}; read that instead`
      : `superseded on ${day}, and so was what replaced it; what stands today is ${ref}: read that instead`
  return { warning, current: { id: last.id, name: memoryRef(last) } }
}

/** A memory of which there is no row yet is looked for among the files; none that follows it is known. */
async function lastOf(kernel: Kernel, scope: Scope, id: string): Promise<Successor | undefined> {
  const last = await successorOf(kernel.db, scope, id)
  const next = last ?? (await findDocument(kernel, memoryDocument, scope, { id }))
  if (!next || 'invalid_at' in next) return next
  return next.readable && next.active ? { ...next, invalid_at: null } : undefined
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10)

/** How a memory is named across projects: `project/name`. */
export const memoryRef = ({ project, name }: { project: string; name: string }): string =>
  `${wireProject(project)}/${name}`
