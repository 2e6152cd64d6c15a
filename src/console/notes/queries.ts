/** What the owner sees of notes. Past every fence, and no demand: looking leaves no event. */
import { sql } from 'kysely'
import type { Db, Kernel } from '../../kernel/kernel.ts'
import { learnedModel, parseDocument } from '../../documents/documents.ts'
import { noteDocument, type Note } from '../../notes/notes.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import { Unreadable } from '../../vault/vault.ts'
import type { NamedItem } from '../screen.ts'
import { someContain } from '../some-contain.ts'

export const NOTE_SORTS = ['recent', 'name', 'starred'] as const
export type NoteSort = (typeof NOTE_SORTS)[number]

export interface NoteFilter {
  /** Part of a title, a description or a tag. */
  q: string
  /** '' stands for every project, `global` for what belongs to none. */
  project: string
  sort: NoteSort
  /** From 1 on. */
  page: number
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
export const RAIL_ROWS = 200

type Narrowed = Pick<NoteFilter, 'q' | 'project'>

const matching = (db: Db, owner: OwnerScope, { q, project }: Narrowed) => {
  checkOwner(owner)
  return db
    .selectFrom('notes')
    .$if(project !== '', (notes) =>
      notes.where('project', '=', project === 'global' ? '' : project),
    )
    .$if(q !== '', (notes) =>
      notes.where(someContain([sql`title`, sql`description`, sql`array_to_string(tags, ' ')`], q)),
    )
}

/** One page of the rail. */
export function listNotes(db: Db, owner: OwnerScope, filter: NoteFilter): Promise<ListedNote[]> {
  return matching(db, owner, filter)
    .select(['id', 'title', 'description', 'project', 'tags', 'model', 'favorite'])
    .select('updated_at as updated')
    .$if(filter.sort === 'starred', (notes) => notes.orderBy('favorite', 'desc'))
    .$if(filter.sort === 'name', (notes) => notes.orderBy(sql`lower(title)`))
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(RAIL_ROWS)
    .offset((filter.page - 1) * RAIL_ROWS)
    .execute()
}

/** The page of the rail that holds the note; the first one when the filter leaves it out. */
export async function pageHolding(
  db: Db,
  owner: OwnerScope,
  filter: NoteFilter,
  id: string,
): Promise<number> {
  const note = await matching(db, owner, filter)
    .select(['favorite', 'updated_at'])
    .select(sql<string>`lower(title)`.as('name'))
    .where('id', '=', id)
    .executeTakeFirst()
  if (!note) return 1
  const recent = sql<boolean>`(updated_at > ${note.updated_at} or (updated_at = ${note.updated_at} and id < ${id}))`
  const before = {
    recent,
    name: sql<boolean>`(lower(title) < ${note.name} or (lower(title) = ${note.name} and ${recent}))`,
    starred: sql<boolean>`(favorite > ${note.favorite} or (favorite = ${note.favorite} and ${recent}))`,
  }
  const { n } = await matching(db, owner, filter)
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where(before[filter.sort])
    .executeTakeFirstOrThrow()
  return Math.floor(n / RAIL_ROWS) + 1
}

/** How many match in each project, whichever project was asked for. */
export async function countNotes(
  db: Db,
  owner: OwnerScope,
  filter: NoteFilter,
): Promise<Map<string, number>> {
  const rows = await matching(db, owner, { ...filter, project: '' })
    .select('project')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .groupBy('project')
    .execute()
  return new Map(rows.map(({ project, n }) => [project, n]))
}

/** The note that was touched last among those that match. */
export async function latestNote(
  db: Db,
  owner: OwnerScope,
  filter: Narrowed,
): Promise<string | undefined> {
  const row = await matching(db, owner, filter)
    .select('id')
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

/** A note as the owner reads it: what its file says, or what is wrong with the file. */
export interface ShownNote extends Omit<Note, 'extra' | 'uncut'> {
  content_hash: string
  path: string
  /** Why the body is the last one that was understood; null when it is the file's. */
  problem: string | null
}

export async function findNote(
  kernel: Kernel,
  owner: OwnerScope,
  id: string,
): Promise<ShownNote | undefined> {
  checkOwner(owner)
  const row = await kernel.db
    .selectFrom('notes')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) return undefined
  const { created_at: created, updated_at: updated, ...indexed } = row
  const file = await kernel.vault.read(row.path)
  if (!file) return { ...indexed, created, updated, problem: 'its file is gone' }
  try {
    const { extra: _, uncut: __, ...note } = parseDocument(noteDocument, file)
    const model = note.model || (await learnedModel(kernel.db, id))
    return { ...note, model, path: row.path, content_hash: file.hash, problem: null }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { ...indexed, created, updated, problem: error.message }
  }
}

export function findNoteNames(
  db: Db,
  owner: OwnerScope,
  ids: readonly string[],
): Promise<NamedItem[]> {
  checkOwner(owner)
  return db
    .selectFrom('notes')
    .select(['id', 'title as name', 'description', 'project'])
    .where('id', 'in', [...ids])
    .execute()
}
