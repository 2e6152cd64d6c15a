import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../kernel/kernel.ts'

/**
 * The model of a document whose file names none: some clients tell theirs only when the turn is over, and
 * then their session knows it. '' when it does not, and when the document is not of one session alone.
 */
export async function learnedModel(db: Db, id: string): Promise<string> {
  const { rows } = await sql<{
    model: string | null
  }>`select ${learnedModelOf(id)} as model`.execute(db)
  return rows[0]?.model ?? ''
}

/** The same within a statement; null for ''. The kinds stand in it as they do in the index events_acts_written. */
export const learnedModelOf = (id: string): RawBuilder<string | null> => sql`(
  select first_model from sessions where id = (
    select min(session_id) from events_acts
    where item_id = ${id} and kind in ('memory.written', 'note.written')
    having count(distinct session_id) = 1 and count(*) = count(session_id)))`
