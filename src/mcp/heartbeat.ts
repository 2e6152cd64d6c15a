import { sql } from 'kysely'
import type { Heartbeat } from '../kernel/telemetry.ts'

/** When a connection was last used, to the second. Connections that were idle for long are removed. */
export const connectionHeartbeat: Heartbeat = {
  async mark(db, ids) {
    await sql`
      with due as (
        select id from mcp_sessions
        where id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))
          and last_seen < loam_now() - interval '1 second'
        order by id for no key update)
      update mcp_sessions set last_seen = loam_now() from due where mcp_sessions.id = due.id`.execute(
      db,
    )
  },
}
