/** What the owner sees of notes. Past every fence, and no demand: looking leaves no event. */
import { sql } from 'kysely'
import { isId } from '../../kernel/id.ts'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { notFound } from '../../kernel/refusal.ts'
import { Unreadable } from '../../vault/vault.ts'
import { parseDocument } from '../../documents/documents.ts'
import { noteDocument, noteRead, noteWritten, type Note } from '../../notes/notes.ts'

export const NOTE_SORTS = ['recent', 'name', 'starred'] as const
export type NoteSort = (typeof NOTE_SORTS)[number]

export interface NoteFilter {
  /** Part of a title, a description or a tag. */
  q: string
  sort: NoteSort
}

export interface ListedNote {
  id: string
  title: string
  description: string
  project: string
  tags: string[]
  model: string
  favorite: boolean
  updated: Date
}

/** As many rows as a rail shows at once. */
export const RAIL = 200

const matching = (db: Db, { q }: NoteFilter) => {
  const pattern = `%${q.replaceAll(/[\\%_]/g, '\\$&')}%`
  return db
    .selectFrom('notes')
    .$if(q !== '', (notes) =>
      notes.where((note) =>
        note.or([
          note('title', 'ilike', pattern),
          note('description', 'ilike', pattern),
          sql<boolean>`array_to_string(tags, ' ') ilike ${pattern}`,
        ]),
      ),
    )
}

/** One rail of notes; pages count from 1. */
export function listNotes(db: Db, filter: NoteFilter, page = 1): Promise<ListedNote[]> {
  return matching(db, filter)
    .select(['id', 'title', 'description', 'project', 'tags', 'model', 'favorite'])
    .select('updated_at as updated')
    .$if(filter.sort === 'starred', (notes) => notes.orderBy('favorite', 'desc'))
    .$if(filter.sort === 'name', (notes) => notes.orderBy(sql`lower(title)`))
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(RAIL)
    .offset((page - 1) * RAIL)
    .execute()
}

/** How many match, in all and in each project. */
export async function countNotes(db: Db, filter: NoteFilter): Promise<Map<string, number>> {
  const rows = await matching(db, filter)
    .select('project')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .groupBy('project')
    .execute()
  return new Map(rows.map(({ project, n }) => [project, n]))
}

/** The note that was touched last among those that match. */
export async function latestNote(db: Db, filter: NoteFilter): Promise<string | undefined> {
  const row = await matching(db, filter)
    .select('id')
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** A note as the owner reads it: what its file says, or what is wrong with the file. */
export interface ShownNote extends Omit<Note, 'extra'> {
  content_hash: string
  path: string
  /** Why the body is the last one that was understood; null when it is the file's. */
  problem: string | null
}

export async function getNote(kernel: Kernel, id: string): Promise<ShownNote> {
  const row = isId(id.toUpperCase()) ? await findRow(kernel.db, id.toUpperCase()) : undefined
  if (!row) throw notFound(`note ${id}`)
  const { created_at: created, updated_at: updated, ...indexed } = row
  const file = await kernel.vault.read(row.path)
  if (!file) return { ...indexed, created, updated, problem: 'its file is gone' }
  try {
    const { extra: _, ...note } = parseDocument(noteDocument, file)
    return { ...note, path: row.path, content_hash: file.hash, problem: null }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { ...indexed, created, updated, problem: error.message }
  }
}

const findRow = (db: Db, id: string) =>
  db.selectFrom('notes').selectAll().where('id', '=', id).executeTakeFirst()

export interface NoteEvent {
  id: string
  ts: Date
  kind: string
  session: string
  summary: string
}

const HISTORY = 12
const KINDS = new Map([noteRead, noteWritten].map((kind) => [kind.name, kind]))

/** What happened to the note last, newest first. */
export async function historyOf(db: Db, id: string): Promise<NoteEvent[]> {
  const rows = await db
    .selectFrom('events as e')
    .leftJoin('sessions as s', 's.id', 'e.session_id')
    .select(['e.id', 'e.ts', 'e.kind', 'e.payload', 's.name as session'])
    .where('e.item_id', '=', id)
    .where('e.kind', 'in', [...KINDS.keys()])
    .orderBy('e.ts', 'desc')
    .orderBy('e.id', 'desc')
    .limit(HISTORY)
    .execute()
  return rows.map(({ payload, session, ...row }) => ({
    ...row,
    session: session ?? '',
    summary: KINDS.get(row.kind)!.summary(payload as Record<string, never>),
  }))
}
