import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import type { DocumentKind } from './kind.ts'

/**
 * The model of a document whose file names none: some clients tell theirs only when the turn is over, and
 * then their session knows it. '' when it does not, and when the document is not of one session alone.
 */
export async function learnedModel(
  db: Db,
  { events }: Pick<DocumentKind, 'events'>,
  id: string,
): Promise<string> {
  const { rows } = await sql<{ model: string }>`
    select first_model as model from sessions where id = (
      select min(session_id) from events_acts
      where item_id = ${id} and kind = ${events.written.name}
      having count(distinct session_id) = 1 and count(*) = count(session_id))`.execute(db)
  return rows[0]?.model ?? ''
}
