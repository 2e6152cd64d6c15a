import { defineDocument, fileKindOf } from '../documents/documents.ts'
import { noteRead, noteWritten } from './events.ts'
import { noteHead, type Note } from './file.ts'
import { removeNote, upsertRow } from './store.ts'

/** Notes as documents. */
export const noteDocument = defineDocument<Note>({
  kind: 'note',
  root: 'notes',
  table: 'notes',
  nameKey: 'slug',
  nameOf: ({ slug }) => slug,
  titleKey: 'title',
  titleOf: ({ title }) => title,
  head: noteHead,
  rows: { upsert: upsertRow, remove: removeNote, whole: false },
  events: { written: noteWritten, read: noteRead, deleted: noteWritten },
  words: {
    named: (slug) => `note with the slug "${slug}"`,
    calledBy: 'id',
    tooLarge: 'begin a new one and link it',
    broken: '',
  },
})

export const noteFileKind = fileKindOf(noteDocument)
