import { answerOf, readDocument, type Asked, type Target } from '../documents/documents.ts'
import { wireTime } from '../kernel/clock.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { indexingOf } from '../passages/passages.ts'
import { wireProject } from '../projects/projects.ts'
import { noteDocument } from './document.ts'

/**
 * Reads what an agent asks for: demand, which leaves an event. Answers as much of its body as there is room
 * for: `room` bytes for the whole answer, or what one body may have.
 */
export async function readNote(
  kernel: Kernel,
  by: Actor,
  target: Target,
  asked: Asked,
  room?: number,
) {
  const [found, origin, indexing] = await readDocument(kernel, by, noteDocument, target, ({ id }) =>
    indexingOf(kernel.db, 'note', id),
  )
  const known = {
    id: found.id,
    title: found.title,
    slug: found.slug,
    description: found.description,
    project: wireProject(found.project),
    tags: found.tags,
    source_url: found.source_url,
    created: wireTime(found.created),
    updated: wireTime(found.updated),
    ...origin,
    ...(found.model && { model: found.model }),
    ...(found.favorite && { favorite: true as const }),
    ...(indexing && { indexing }),
  }
  return answerOf('note', known, found, asked, room)
}
