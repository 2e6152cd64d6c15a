import type { Db } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { defineDocument, fileKindOf, standingName } from '../documents/documents.ts'
import { cutSlug } from '../text/slug.ts'
import { requiredName } from './checks.ts'
import { memoryArchived, memoryRead, memoryWritten } from './events.ts'
import { memoryHead, type Memory } from './file.ts'
import { removeMemory, upsertMemory } from './store.ts'

/** Memories as documents. */
export const memoryDocument = defineDocument<Memory>({
  kind: 'memory',
  root: 'memory',
  table: 'memories',
  nameKey: 'name',
  nameOf: ({ name }) => name,
  nameFrom: requiredName,
  titleKey: 'name',
  titleOf: ({ name }) => name,
  head: memoryHead,
  lead: (old) => old && `${old}\n`,
  rows: { upsert: upsertMemory, remove: removeMemory, whole: true },
  events: {
    written: memoryWritten,
    read: memoryRead,
    deleted: memoryArchived,
    byHand: ({ kind }) => ({ kind }),
  },
  words: {
    named: (name) => `memory "${name}"`,
    calledBy: 'name',
    advice: {
      change: 'create it with memory_write, or pass project',
      star: 'recall finds memories by content',
      retire: 'recall finds memories by content',
    },
    tooLarge: 'a memory is one fact, use notes_create',
    emptied: 'memory_delete removes it, memory_write says it anew',
    broken: '; nothing was changed',
  },
  ending: {
    ended: ({ invalid_at }) => invalid_at !== null,
    refusal: (name, act) =>
      act === 'star'
        ? conflict(
            `memory "${name}" was superseded or archived, and only an active one has a star; ` +
              'memory_read says what replaced it',
          )
        : conflict(
            `memory "${name}" was superseded or archived and is changed no more; ` +
              'memory_read says what replaced it, memory_delete frees its name',
          ),
  },
})

/** Returns the name that a memory has in the project, or would have there. */
export const memoryNameAt = (db: Db, project: string, asked: string): Promise<string> =>
  standingName(db, memoryDocument, project, { name: requiredName(asked), cut: cutSlug(asked) })

export const memoryFileKind = fileKindOf(memoryDocument)
