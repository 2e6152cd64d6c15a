import { sql } from 'kysely'
import type { Heartbeat } from '../kernel/telemetry.ts'

/** Any hook is a sign that those of its client come through. A client's row is written once a minute at most. */
export const hooksHeard: Heartbeat = {
  async mark(db, clients) {
    await sql`
      insert into hooks_heard as h (client, at)
      select client, loam_now() from jsonb_array_elements_text(${JSON.stringify(clients)}::jsonb) client
      on conflict (client) do update set at = excluded.at
      where h.at < excluded.at - interval '1 minute'`.execute(db)
  },
}
