import { sql } from 'kysely'
import type { Heartbeat } from '../kernel/telemetry.ts'

/** A call is a sign of life of its session. A busy agent's row is rewritten once a second at most. */
export const sessionHeartbeat: Heartbeat = {
  async mark(db, ids) {
    await sql`
      with due as (
        select id from sessions
        where id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))
          and status = 'active' and updated_at < loam_now() - interval '1 second'
        order by id for no key update)
      update sessions set updated_at = loam_now() from due where sessions.id = due.id`.execute(db)
  },
}
