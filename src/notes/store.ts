import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { readable, writable, type Reached, type Scope } from '../projects/projects.ts'
import type { Note } from './file.ts'

/** Where a note lies and what the caller may do with it. */
export interface FoundNote extends Reached {
  id: string
  slug: string
  path: string
  content_hash: string
}

const FOUND = ['id', 'slug', 'project', 'path', 'content_hash'] as const

/** By id, judged in the same statement. */
export function findNote(db: Db, id: string, scope: Scope): Promise<FoundNote | undefined> {
  return db
    .selectFrom('notes')
    .select(FOUND)
    .select([
      readable(scope, 'notes.project').as('readable'),
      writable(scope, 'notes.project').as('writable'),
    ])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** A slug names the project's own note first, and a global one if there is none and it may be read. */
export function findNoteBySlug(db: Db, slug: string, scope: Scope): Promise<FoundNote | undefined> {
  return db
    .selectFrom('notes')
    .select(FOUND)
    .select([
      readable(scope, 'notes.project').as('readable'),
      writable(scope, 'notes.project').as('writable'),
    ])
    .where('slug', '=', slug)
    .where('project', 'in', [...scope.searched])
    .orderBy(sql`project = ''`)
    .executeTakeFirst()
}

/** The id of the note that owns the path, if there is one. */
export async function ownerOfPath(db: Db, path: string): Promise<string | undefined> {
  const row = await db.selectFrom('notes').select('id').where('path', '=', path).executeTakeFirst()
  return row?.id
}

/** Those of the slugs that notes of the project have. */
export async function takenSlugs(
  db: Db,
  project: string,
  slugs: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('notes')
    .select('slug')
    .where('project', '=', project)
    .where('slug', 'in', slugs)
    .execute()
  return new Set(rows.map(({ slug }) => slug))
}

export async function pathOfNote(db: Db, id: string): Promise<string | undefined> {
  const row = await db.selectFrom('notes').select('path').where('id', '=', id).executeTakeFirst()
  return row?.path
}

export async function upsertNote(
  db: Db,
  note: Note,
  path: string,
  contentHash: string,
): Promise<void> {
  const { id, created, updated, extra: _, ...fields } = note
  const row = {
    ...fields,
    path,
    content_hash: contentHash,
    created_at: created,
    updated_at: updated,
  }
  await db
    .insertInto('notes')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

export async function deleteNoteRow(db: Db, id: string): Promise<void> {
  await db.deleteFrom('notes').where('id', '=', id).execute()
}
