/** When and where a memory was put before agents. */
import { sql } from 'kysely'
import type { Db } from '../../kernel/kernel.ts'
import { checkOwner, type OwnerScope } from '../../projects/projects.ts'
import { CALLED } from '../sessions/called.ts'

export interface Telling {
  /** Of the event. */
  id: string
  ts: Date
  /** How it came before an agent: `read`, `recall`, `prompt` or `shown`. */
  way: string
  project: string
  session_id: string | null
  /** What the session is called; '' when nobody is known. */
  session: string
}

const TELLINGS = 20

/** When and where it was put before an agent, newest first: to anybody, or to one session. */
export async function tellingsOf(
  db: Db,
  owner: OwnerScope,
  id: string,
  session = '',
): Promise<Telling[]> {
  checkOwner(owner)
  // Of one that is shown all day only the last ones are looked up.
  const told = sql`select event_id, ts, class from event_items
    where item_id = ${id} and class in ('read', 'recall', 'prompt', 'shown')`
  const { rows } = await sql<Telling>`
    select e.id, e.ts, told.class as way, coalesce(e.project, '') as project, s.id as session_id,
      case when s.id is null then '' else ${CALLED} end as session
    from ${session === '' ? sql`(${told} order by ts desc, event_id desc limit ${TELLINGS})` : sql`(${told})`} told
    join events e on e.id = told.event_id and e.ts = told.ts
    left join sessions s on s.id = e.session_id
    where ${session} = '' or e.session_id = ${session}
    order by told.ts desc, e.id desc limit ${TELLINGS}
  `.execute(db)
  return rows
}
