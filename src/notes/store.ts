import type { Db } from '../kernel/kernel.ts'
import { rowOf } from '../documents/documents.ts'
import { addsUnseen, type Scope } from '../projects/projects.ts'
import { cutSlug, normalName } from '../text/slug.ts'
import type { Note } from './file.ts'

/** Returns those of the slugs that notes of the project have. */
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

/**
 * Whether a note of this very title stands under the slug that such a long title made in former times. Nobody
 * asks who may not read there.
 */
export async function stoodBefore(
  db: Db,
  { project, scope }: { project: string; scope: Scope },
  title: string,
): Promise<boolean> {
  const cut = cutSlug(title)
  if (cut === undefined || (await addsUnseen(db, scope, project))) return false
  const row = await db
    .selectFrom('notes')
    .select('title')
    .where('project', '=', project)
    .where('slug', '=', cut)
    .where('uncut', '=', false)
    .executeTakeFirst()
  return row !== undefined && normalName(row.title) === normalName(title)
}

/** Brings the row of a note in line with its file. */
export async function upsertRow(db: Db, note: Note, path: string, hash: string): Promise<void> {
  const row = rowOf(note, path, hash)
  await db
    .insertInto('notes')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
}

export async function removeNote(db: Db, id: string): Promise<void> {
  await db.deleteFrom('notes').where('id', '=', id).execute()
}
