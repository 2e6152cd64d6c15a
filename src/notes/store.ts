import type { Db } from '../kernel/kernel.ts'
import { rowOf } from '../documents/documents.ts'
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
