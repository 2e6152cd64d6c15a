/** A memory as a markdown file: `memory/<project or _global>/<name>.md`. */
import { wireTime } from '../kernel/clock.ts'
import {
  listOf,
  parseFrontmatter,
  renderFrontmatter,
  textOf,
  timeOf,
  unknownKeys,
} from '../text/frontmatter.ts'
import { Unreadable, type FileBytes } from '../vault/vault.ts'
import { idOf, itemPath, placeOf } from '../projects/projects.ts'
import { isMemoryKind, MEMORY_KINDS, type MemoryKind } from './kinds.ts'

/** Everything that a memory's file says. */
export interface Memory {
  id: string
  kind: MemoryKind
  name: string
  /** One line, all that lists and briefings show. */
  description: string
  /** '' is the global scope. */
  project: string
  created: Date
  updated: Date
  /** `[valid_from, invalid_at)` is the time in which it was believed. */
  valid_from: Date
  /** Null while it is active; nothing else says so. */
  invalid_at: Date | null
  /** The id of what replaced it; '' and inactive: archived. */
  superseded_by: string
  /** The session that made it. */
  source_session: string
  /** The model that its content is of. */
  model: string
  favorite: boolean
  tags: string[]
  /** Keys that are not ours: kept on every rewrite, never interpreted. */
  extra: Record<string, unknown>
  body: string
}

export const memoryPath = (project: string, name: string): string =>
  itemPath('memory', project, name)

const KEYS = [
  'id',
  'kind',
  'name',
  'description',
  'project',
  'created',
  'updated',
  'valid_from',
  'invalid_at',
  'superseded_by',
  'source_session',
  'model',
  'favorite',
  'tags',
] as const

/** The bytes of the memory's file, its keys in their order. */
export function renderMemory(memory: Memory): Buffer {
  const head = {
    id: memory.id,
    kind: memory.kind,
    name: memory.name,
    description: memory.description,
    ...(memory.project && { project: memory.project }),
    created: wireTime(memory.created),
    updated: wireTime(memory.updated),
    valid_from: wireTime(memory.valid_from),
    invalid_at: memory.invalid_at && wireTime(memory.invalid_at),
    superseded_by: memory.superseded_by || null,
    ...(memory.source_session && { source_session: memory.source_session }),
    ...(memory.model && { model: memory.model }),
    ...(memory.favorite && { favorite: true }),
    ...(memory.tags.length > 0 && { tags: memory.tags }),
    ...memory.extra,
  }
  return renderFrontmatter({ head, body: memory.body })
}

/**
 * The memory in a file. Where it lies says which project and name it has; its head says the rest.
 * Throws Unreadable.
 */
export function parseMemory({ path, bytes }: FileBytes): Memory {
  const { project, slug: name } = placeOf(path)
  const { head, body } = parseFrontmatter(bytes)
  const id = idOf(head)
  const kind = textOf(head, 'kind').trim().toLowerCase()
  if (!isMemoryKind(kind)) {
    throw new Unreadable(`its "kind" is none of ${MEMORY_KINDS.join(', ')}`)
  }
  const created = timeOf(head, 'created')
  return {
    id,
    kind,
    name,
    description: textOf(head, 'description'),
    project,
    created,
    updated: timeOf(head, 'updated'),
    valid_from: timeOrNull(head, 'valid_from') ?? created,
    invalid_at: timeOrNull(head, 'invalid_at'),
    superseded_by: textOf(head, 'superseded_by'),
    source_session: textOf(head, 'source_session'),
    model: textOf(head, 'model'),
    favorite: head['favorite'] === true,
    tags: listOf(head, 'tags'),
    extra: unknownKeys(head, KEYS),
    body,
  }
}

const timeOrNull = (head: Record<string, unknown>, key: string): Date | null =>
  textOf(head, key) === '' ? null : timeOf(head, key)
