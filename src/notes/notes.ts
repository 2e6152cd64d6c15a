/**
 * Notes: what an agent produced. Any length, found through recall, never injected into a briefing.
 *
 * This file is the room's door. Other rooms import from here and from nowhere else in notes/. A note
 * is made in create.ts, read in read.ts and changed in change.ts, which update.ts, edit.ts and
 * delete.ts use; keep.ts keeps what is captured again and again under one name; file kind.ts says how
 * its rows follow from its file.
 */
export { checkDraft, createNote, type NoteDraft } from './create.ts'
export { noteFileKind } from './file-kind.ts'
export { deleteNote } from './delete.ts'
export { appendNote, editNote } from './edit.ts'
export { noteRead, noteWritten } from './events.ts'
export { parseNote, type Note } from './file.ts'
export { upsertNote, type Kept } from './upsert.ts'
export { readNote, type NoteAddress, type StoredNote } from './read.ts'
export { starNote } from './star.ts'
export { updateNote, type NotePatch } from './update.ts'
