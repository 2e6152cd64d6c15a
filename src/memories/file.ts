/** What a memory's file says: `memory/<project or _global>/<name>.md`. */
import { wireTime } from '../kernel/clock.ts'
import { indexedOf, textOf, timeOf } from '../text/frontmatter.ts'
import { Unreadable } from '../vault/vault.ts'
import type { Document, DocumentKind } from '../documents/documents.ts'
import { isMemoryKind, MEMORY_KINDS, type MemoryKind } from './kinds.ts'

/** A memory. Its description is one line, all that lists and briefings show. */
export interface Memory extends Document {
  kind: MemoryKind
  name: string
  /** `[valid_from, invalid_at)` is the time in which it was believed. */
  valid_from: Date
  /** Null while it is active; nothing else says so. */
  invalid_at: Date | null
  /** The id of what replaced it; '' and inactive: archived. */
  superseded_by: string
  /** The session that made it. */
  source_session: string
}

export const memoryHead: DocumentKind<Memory>['head'] = {
  keys: ['kind', 'name', 'valid_from', 'invalid_at', 'superseded_by', 'source_session'],

  first: ({ kind, name, description }) => ({ kind, name, description }),

  second: ({ valid_from, invalid_at, superseded_by, source_session }) => ({
    valid_from: wireTime(valid_from),
    invalid_at: invalid_at && wireTime(invalid_at),
    superseded_by: superseded_by || null,
    ...(source_session && { source_session }),
  }),

  parse(head, name, readShared) {
    const kind = textOf(head, 'kind').trim().toLowerCase()
    if (!isMemoryKind(kind)) {
      throw new Unreadable(`its "kind" is none of ${MEMORY_KINDS.join(', ')}`)
    }
    const shared = readShared()
    return {
      ...shared,
      kind,
      name,
      valid_from: timeOrNull(head, 'valid_from') ?? shared.created,
      invalid_at: timeOrNull(head, 'invalid_at'),
      superseded_by: indexedOf(head, 'superseded_by'),
      source_session: textOf(head, 'source_session'),
    }
  },
}

const timeOrNull = (head: Record<string, unknown>, key: string): Date | null =>
  textOf(head, key) === '' ? null : timeOf(head, key)
