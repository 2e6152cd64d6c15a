/**
 * Notes: what an agent produced. Any length, found through recall, never injected into a briefing.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in notes/. What a
 * note shares with a memory is in documents/, and document.ts declares it. A note is made in
 * create.ts, read in read.ts and changed in update.ts; upsert.ts writes what is captured again and
 * again under one name.
 */
export { checkDraft, createNote, type NoteDraft } from './create.ts'
export { noteDocument, noteFileKind } from './document.ts'
export { noteRead, noteWritten } from './events.ts'
export type { Note, StoredNote } from './file.ts'
export { readNote } from './read.ts'
export { updateNote, type NotePatch } from './update.ts'
export { upsertNote, type Composed, type Upsert } from './upsert.ts'
