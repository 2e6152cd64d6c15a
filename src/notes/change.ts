/** The frame of every change: find the note, judge, lock, read the file, change it, write it. */
import { pendingEvent, type record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, notFound } from '../kernel/refusal.ts'
import type { FileBytes, Files } from '../vault/vault.ts'
import { judgeWrite, refuseUnwritable, wireProject, type Scope } from '../projects/projects.ts'
import { checkSize } from './checks.ts'
import { indexNote } from './file-kind.ts'
import { noteWritten } from './events.ts'
import { notePath, renderNote, type Note } from './file.ts'
import { understand, type StoredNote } from './read.ts'
import { findNote, ownerOfPath, type FoundNote } from './store.ts'

/** What a change makes of a note, and what the event says of it. */
interface Change {
  note: Note
  payload: Parameters<typeof record<typeof noteWritten.payload>>[2]['payload']
}

/** The item was moved between the look-up and the lock. */
export class Moved extends Error {}

/**
 * One change of one note: found by its id, judged, read inside its lock, changed, written.
 *
 * `to` is the project it moves to. Judged once more inside the transaction.
 */
export async function changeNote(
  kernel: Kernel,
  by: Actor,
  reach: Scope,
  id: string,
  change: (note: Note, file: FileBytes, readable: boolean) => Change,
  to?: string,
): Promise<StoredNote> {
  const event = newId(kernel.clock.now())
  for (let attempt = 1; ; attempt++) {
    const found = await reachNote(kernel, reach, id)
    const target = to === undefined ? found.path : notePath(to, found.slug)
    try {
      const { result, indexed } = await kernel.vault.write(
        kernel,
        [found.path, target],
        async (kernel, files) => {
          const { file, readable } = await readUnderLock(kernel, files, reach, found)
          const before = understand(file, id)
          const { note, payload } = change(before, file, readable)
          if (target !== found.path) await makeRoom(kernel, files, reach, note, target)
          checkSize(note.body)
          note.updated = files.nextTime(before.updated)
          if (by.model && note.body !== before.body) note.model = by.model
          const hash = files.put(target, renderNote(note))
          if (target !== found.path) files.remove(found.path)
          return {
            result: { ...note, content_hash: hash, readable },
            async rows(kernel) {
              await indexNote(kernel, note, target, hash)
            },
            told: [
              pendingEvent(noteWritten, {
                id: event,
                by,
                project: note.project,
                item: id,
                payload,
              }),
            ],
          }
        },
        { shared: true },
      )
      return { ...result, indexed }
    } catch (error) {
      if (!(error instanceof Moved) || attempt === 3) throw error
    }
  }
}

export async function reachNote(kernel: Kernel, reach: Scope, id: string): Promise<FoundNote> {
  const found = await findNote(kernel.db, id, reach)
  refuseUnwritable(reach, found, `note with id ${JSON.stringify(id)}`)
  return found
}

export async function readUnderLock(kernel: Kernel, files: Files, reach: Scope, found: FoundNote) {
  const now = await files.once(JSON.stringify([found.id, reach]), () =>
    reachNote(kernel, reach, found.id),
  )
  if (now.path !== found.path) throw new Moved()
  const file = await files.read(found.path)
  if (!file) {
    await kernel.vault.assertPresent()
    throw notFound(`note with id "${found.id}": its file was removed`)
  }
  return { file, readable: now.readable }
}

/** The destination of a move, inside both locks. */
async function makeRoom(
  kernel: Kernel,
  files: Files,
  reach: Scope,
  note: Note,
  target: string,
): Promise<void> {
  await judgeWrite(kernel.db, reach, note.project)
  if ((await ownerOfPath(kernel.db, target)) !== undefined || (await files.read(target))) {
    throw conflict(
      `the slug "${note.slug}" is taken by another note in ${wireProject(note.project)}`,
    )
  }
}
