import { sql } from 'kysely'
import type { Db } from '../../../kernel/kernel.ts'

/** When a hook of a client last came, as far as it left a trace. */
export interface Heard {
  client: string
  hook: string
  at: string
}

/** Which hooks of which client were heard in the last 30 days, from what they injected and what they changed. */
export async function listHeard(db: Db): Promise<Heard[]> {
  const { rows } = await sql<Heard>`
    with heard as (
      select payload->>'external_client' as client, payload->>'hook' as hook, ts as at
      from events
      where kind in ('retrieval.injected', 'hook.prompt') and ts > loam_now() - interval '30 days'
      union all
      select external_client, 'session-start', created_at from sessions
      where ambient and created_at > loam_now() - interval '30 days'
      union all
      select external_client, 'stop', updated_at from sessions
      where ambient and idle_minutes is not null and updated_at > loam_now() - interval '30 days'
      union all
      select external_client, 'session-end', updated_at from sessions
      where ambient and status = 'completed' and updated_at > loam_now() - interval '30 days'
    )
    select client, hook, to_char(max(at) at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at
    from heard where client <> '' and hook <> '' group by 1, 2 order by 1, 3 desc`.execute(db)
  return rows
}
