import { record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { judgeWrite, type Scope } from '../projects/projects.ts'
import { checkSize, checkTitle } from './checks.ts'
import { indexNote } from './file-kind.ts'
import { noteWritten } from './events.ts'
import { notePath, parseNote, renderNote, type Note } from './file.ts'
import type { StoredNote } from './read.ts'
import { ownerOfPath } from './store.ts'

/** What a kept note says; id, creation, star and source stay what they are. */
export interface Kept {
  title: string
  description: string
  body: string
  tags: readonly string[]
  /** Keys of the head beside the known ones; keys not named here stay. */
  extra?: Record<string, unknown>
}

export interface Keeping {
  /** A slug in slug form, by which the note is found again. */
  slug: string
  /** `now` is the database's. Made under the note's lock from what it said before; undefined leaves everything as it is. May run again. */
  compose(before: Note | undefined, now: Date): Kept | undefined
  /** What else belongs to the act, in the transaction of the note. Idempotent, as `Decision.act` is. */
  act?(kernel: Kernel, note: Note): Promise<unknown>
}

/**
 * Keeps a note under a slug that its writer knows: creates it, or changes the one that is there.
 *
 * For what is captured again and again under one name. `project` has been resolved; whether the
 * scope may write there is judged once more inside the transaction. Undefined when nothing changed.
 */
export async function upsertNote(
  kernel: Kernel,
  by: Actor,
  { project, scope }: { project: string; scope: Scope },
  { slug, compose, act }: Keeping,
): Promise<StoredNote | undefined> {
  const path = notePath(project, slug)
  const event = newId(kernel.clock.now())
  const fresh = newId(kernel.clock.now())

  const { result, indexed } = await kernel.vault.write(kernel, [path], async (kernel, files) => {
    await judgeWrite(kernel.db, scope, project)
    const file = await files.read(path)
    const before = file && parseNote(file)
    const now = files.nextTime(before?.updated)
    const kept = compose(before, now)
    if (!kept) return { result: undefined, rows: async () => {} }
    checkTitle(kept.title)
    checkSize(kept.body)
    const note: Note = {
      id: before?.id ?? (await ownerOfPath(kernel.db, path)) ?? fresh,
      title: kept.title,
      slug,
      description: kept.description,
      project,
      body: kept.body,
      tags: [...new Set(kept.tags)],
      source_url: before?.source_url ?? '',
      model: by.model || (before?.model ?? ''),
      favorite: before?.favorite ?? false,
      created: before?.created ?? now,
      updated: now,
      extra: { ...before?.extra, ...kept.extra },
    }
    const hash = files.put(path, renderNote(note))
    return {
      result: { ...note, content_hash: hash, readable: true },
      rows: (kernel) => indexNote(kernel, note, path, hash),
      async act(kernel) {
        const payload = { title: note.title, ...(before && { updated: true as const }) }
        await record(kernel, noteWritten, { id: event, by, project, item: note.id, payload })
        await act?.(kernel, note)
      },
    }
  })
  return result && { ...result, indexed }
}
