/** The files that an apply changed, as they were. Only this file writes their table. */
import type { Db } from '../kernel/kernel.ts'

/** A file that an apply changed. */
export interface ChangedFile {
  path: string
  /** Null: there was none. */
  before: Buffer | null
  /** The hash of what it left; null: it took the file away. */
  after: string | null
}

export async function keepFiles(db: Db, id: string, files: readonly ChangedFile[]): Promise<void> {
  if (files.length === 0) return
  await db
    .insertInto('proposal_files')
    .values(files.map((file) => ({ proposal_id: id, ...file })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export const keptFiles = (db: Db, id: string): Promise<ChangedFile[]> =>
  db
    .selectFrom('proposal_files')
    .select(['path', 'before', 'after'])
    .where('proposal_id', '=', id)
    .orderBy('path')
    .execute()

export async function forgetFiles(db: Db, id: string): Promise<void> {
  await db.deleteFrom('proposal_files').where('proposal_id', '=', id).execute()
}
