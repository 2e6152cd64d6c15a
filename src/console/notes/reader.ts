/** One note with all that its reader shows. */
import { join } from 'node:path'
import { noteRead, noteWritten } from '../../notes/notes.ts'
import { countWords } from '../../text/text.ts'
import { editorUrl } from '../editor.ts'
import { historyOf } from '../history.ts'
import type { ScreenApp } from '../screen.ts'
import { findNote } from './queries.ts'

/** A note with what its reader shows around it; undefined when there is none with this id. */
export async function readerOf({ kernel, owner }: ScreenApp, id: string) {
  const note = await findNote(kernel, owner, id)
  if (!note) return undefined
  const { path: file_path, problem, ...shown } = note
  const abs_path = join(kernel.config.data_dir, file_path)
  return {
    ...shown,
    body_available: problem === null,
    problem,
    words: countWords(note.body),
    file_path,
    abs_path,
    editor_url: editorUrl(kernel, abs_path),
    history: await historyOf(kernel.db, owner, id, [noteRead, noteWritten]),
  }
}
