import { defineDocument, fileKindOf } from '../documents/documents.ts'
import { invalid } from '../kernel/refusal.ts'
import { NO_LETTER, slugify } from '../text/slug.ts'
import { noteRead, noteWritten } from './events.ts'
import { noteHead, type Note } from './file.ts'
import { removeNote, upsertRow } from './store.ts'

/** Returns the slug that is meant, however it is spelled. */
function noteSlug(asked: string): string {
  const slug = slugify(asked)
  if (slug !== '') return slug
  throw invalid(`invalid slug ${JSON.stringify(asked.slice(0, 300))}: ${NO_LETTER}`)
}

const SEARCH = 'try recall, or its id'

/** Notes as documents. */
export const noteDocument = defineDocument<Note>({
  kind: 'note',
  root: 'notes',
  table: 'notes',
  nameKey: 'slug',
  nameOf: ({ slug }) => slug,
  nameFrom: noteSlug,
  titleKey: 'title',
  titleOf: ({ title }) => title,
  head: noteHead,
  lead(old, now) {
    const stamp = now.toISOString().slice(0, 16).replace('T', ' ')
    return `${old && `${old}\n\n`}${stamp} -- `
  },
  rows: { upsert: upsertRow, remove: removeNote, whole: false },
  events: { written: noteWritten, read: noteRead, deleted: noteWritten },
  words: {
    named: (slug) => `note with the slug "${slug}"`,
    calledBy: 'id',
    advice: { change: SEARCH, star: SEARCH, retire: SEARCH },
    tooLarge: 'begin a new one and link it',
    broken: '',
  },
})

export const noteFileKind = fileKindOf(noteDocument)
