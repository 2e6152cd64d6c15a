import { changeLocked, seekPlaced, type Placed } from '../documents/documents.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, notFound } from '../kernel/refusal.ts'
import { noteDocument, type Note, type StoredNote } from '../notes/notes.ts'
import { describedAs } from './plan-note.ts'
import * as store from './store.ts'
import { isWaiting, planOf, statusOf, statusTags } from './vocabulary.ts'

/**
 * Marks a captured plan as abandoned, for its owner or the gardener: `id` is that of its note. A second time changes
 * nothing. Saved once more by its client, the plan is a draft again.
 *
 * @throws Refusal when it is approved or settled by now, and when the note is gone or is no captured plan
 */
export function abandonPlan(kernel: Kernel, by: Actor, id: string): Promise<StoredNote> {
  const find = async (kernel: Kernel): Promise<[Placed]> => {
    const placed = await seekPlaced(kernel, noteDocument, id)
    if (!placed) throw notFound(`note with id ${JSON.stringify(id)}`)
    return [placed]
  }
  return changeLocked(kernel, by, noteDocument, { find }, async ({ files, before }) => {
    const status = statusOf(before.tags)
    if (status === 'abandoned') return undefined
    if (!isWaiting(status)) {
      throw conflict(
        `plan "${before.title}" ${status === undefined ? 'has no status' : `is ${status}`} by now; ` +
          'only a draft or a presented plan can be abandoned',
      )
    }
    const document: Note = {
      ...before,
      description: describedAs(before.description, 'abandoned'),
      tags: statusTags(before.tags, 'abandoned'),
      updated: files.nextTime(before.updated),
    }
    const { title, project, slug: note, tags } = document
    return {
      document,
      payload: { title, updated: true },
      act: ({ db }) =>
        store.settlePlan(db, { project, plan: planOf(tags), note, status: 'abandoned' }),
    }
  })
}

/** The note of an abandoned plan was brought back: its sessions plan again, with the status that it has. */
export async function takeAbandonBack({ db }: Kernel, id: string): Promise<void> {
  const note = await store.noteOfPlan(db, id)
  const status = statusOf(note?.tags ?? [])
  if (!note || !status) return
  const { project, slug, tags } = note
  await store.settlePlan(db, { project, plan: planOf(tags), note: slug, status })
}
