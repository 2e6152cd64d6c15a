import type { FeedEvent } from '../../kernel/feed.ts'
import type { Db } from '../../kernel/kernel.ts'

export function findEvent(db: Db, id: string): Promise<FeedEvent | undefined> {
  return db
    .selectFrom('events')
    .select(['id', 'ts', 'kind', 'session_id', 'project', 'item_id', 'payload', 'tx'])
    .where('id', '=', id)
    .executeTakeFirst() as Promise<FeedEvent | undefined>
}

export function sessionName(db: Db, id: string) {
  return db
    .selectFrom('sessions')
    .select(['id', 'name', 'ambient', 'external_client', 'model'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export interface SurfacedItem {
  id: string
  name: string
  kind: string
  description: string
  project: string
  /** Where it is shown; null when it is gone. */
  href: string | null
  missing: boolean | null
}

/** What an event surfaced or is about, in the order it was given; what is gone stays as a gap. */
export async function findItems(db: Db, ids: readonly string[]): Promise<SurfacedItem[]> {
  if (ids.length === 0) return []
  const notes = await db
    .selectFrom('notes')
    .select(['id', 'title as name', 'description', 'project'])
    .where('id', 'in', [...ids])
    .execute()
  const found = new Map(notes.map((note) => [note.id, note]))
  return ids.map((id) => {
    const note = found.get(id)
    if (!note)
      return { id, name: id, kind: '', description: '', project: '', href: null, missing: true }
    return { ...note, kind: 'note', href: `/console/notes/${id}`, missing: null }
  })
}
