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

const BETWEEN = ' '

/** What `speakerHeartbeat` is told: that this connection spoke for this session. */
export const speaker = (connection: string, session: string): string =>
  connection + BETWEEN + session

/** For whom a connection spoke last. Whoever closes it may say that this client is gone. */
export const speakerHeartbeat: Heartbeat = {
  async mark(db, pairs) {
    await sql`
      with spoke as (
        select split_part(pair, ${BETWEEN}, 1) as id, max(split_part(pair, ${BETWEEN}, 2)) as session
        from jsonb_array_elements_text(${JSON.stringify(pairs)}::jsonb) as pair
        group by 1
      ), due as (
        select m.id, spoke.session from mcp_sessions m join spoke on spoke.id = m.id
        where m.spoke_for <> spoke.session
        order by m.id for no key update of m)
      update mcp_sessions set spoke_for = due.session from due where mcp_sessions.id = due.id`.execute(
      db,
    )
  },
}
