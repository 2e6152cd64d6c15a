import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import { readable, type Scope } from '../projects/projects.ts'
import { learnedModelOf } from './learned-model.ts'

/** Who wrote a document, by the names of their sessions. Who is not known, or behind a fence, is left out. */
export interface Origin {
  created_by?: string
  /** Of the last change. */
  updated_by?: string
}

/** Looks up who wrote a document first and who last, as the log has it, and the model of one whose file names none. */
export async function originOf(
  db: Db,
  scope: Scope,
  { id, model }: { id: string; model: string },
): Promise<{ origin: Origin; model: string }> {
  const learned = model === '' ? learnedModelOf(id) : sql.lit(null)
  const { rows } = await sql<{ first: string | null; last: string | null; learned: string | null }>`
    select ${writer(scope, id, 'asc')} as first, ${writer(scope, id, 'desc')} as last, ${learned} as learned`.execute(
    db,
  )
  const { first, last, learned: found } = rows[0]!
  const origin = {
    ...(first !== null && { created_by: first }),
    ...(last !== null && { updated_by: last }),
  }
  return { origin, model: model || (found ?? '') }
}

// The kinds stand in the statement as they do in the index events_acts_written.
const writer = (scope: Scope, id: string, order: 'asc' | 'desc'): RawBuilder<string | null> => sql`(
  select s.name
  from (
    select session_id from events_acts
    where item_id = ${id} and kind in ('memory.written', 'note.written')
    order by ts ${sql.raw(order)}, id ${sql.raw(order)}
    limit 1) e
  join sessions s on s.id = e.session_id
  where ${readable(scope, 's.project')})`
