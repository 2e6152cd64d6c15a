import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'

/**
 * The model of a document whose file names none, as the session that wrote it learned it: see learned_model. ''
 * when it did not, and when the document is not of one session alone.
 */
export async function learnedModel(db: Db, id: string): Promise<string> {
  const { rows } = await sql<{
    model: string | null
  }>`select learned_model(${id}) as model`.execute(db)
  return rows[0]?.model ?? ''
}
