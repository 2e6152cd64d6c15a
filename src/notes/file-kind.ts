import { newId } from '../kernel/id.ts'
import { blankItem, record } from '../kernel/events.ts'
import { NOBODY, type Kernel } from '../kernel/kernel.ts'
import type { FileKind } from '../vault/vault.ts'
import { dropItem, indexItem } from '../passages/passages.ts'
import { ensureProject } from '../projects/projects.ts'
import { noteWritten } from './events.ts'
import { parseNote, type Note } from './file.ts'
import { deleteNoteRow, ownerOfPath, pathOfNote, upsertNote } from './store.ts'

/** Notes as files: how rows follow from what lies on disk. */
export const noteFileKind: FileKind = {
  kind: 'note',
  root: 'notes',
  extension: '.md',
  byProject: true,

  identify(file) {
    const { id, updated } = parseNote(file)
    return { id, updated }
  },

  pathOf: pathOfNote,

  async index(kernel, file, { outside }) {
    const note = parseNote(file)
    await ensureProject(kernel, note.project)
    // The file was replaced by one with another id: the note that was here is gone.
    const owner = await ownerOfPath(kernel.db, file.path)
    if (owner !== undefined && owner !== note.id) await dropNote(kernel, owner)
    await indexNote(kernel, note, file.path, file.hash)
    if (!outside) return
    const { id, project, title } = note
    await record(kernel, noteWritten, {
      id: newId(kernel.clock.now()),
      by: NOBODY,
      project,
      item: id,
      payload: { title, updated: true, outside: true },
    })
  },

  async forget(kernel, path) {
    const id = await ownerOfPath(kernel.db, path)
    if (id === undefined) return
    const [, directory = '', file = ''] = path.split('/')
    await dropNote(kernel, id)
    await record(kernel, noteWritten, {
      by: NOBODY,
      project: directory === '_global' ? '' : directory,
      item: id,
      payload: { slug: file.slice(0, -'.md'.length), deleted: true, outside: true },
    })
  },
}

/** The row and the passages of a note, as its file says. */
export async function indexNote(
  kernel: Kernel,
  note: Note,
  path: string,
  hash: string,
): Promise<void> {
  const { id, project, title, description, body } = note
  await Promise.all([
    upsertNote(kernel.db, note, path, hash),
    indexItem(kernel, {
      kind: 'note',
      id,
      project,
      active: true,
      title,
      description,
      text: body,
    }),
  ])
}

/** Forgets a note that is gone, and what events kept of its text. */
export async function dropNote(kernel: Kernel, id: string): Promise<void> {
  await deleteNoteRow(kernel.db, id)
  await dropItem(kernel, 'note', id)
  await blankItem(kernel, id)
}
