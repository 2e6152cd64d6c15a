/** Whose a session is: the client with which it ends, and for whose calls it counts. */
import { sql } from 'kysely'
import type { Db } from '../kernel/kernel.ts'
import type { SessionRow } from './store.ts'

/** What a client shows of a session: its own id, and the key of the process in which it runs. */
export interface Identity {
  client: string
  external: string
  process: string
}

/** Everything of this identity that is active runs in this process now, before what ran there earlier. */
export async function announce(db: Db, { client, external, process }: Identity): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ process, announced_at: sql<Date>`loam_now()` })
    .where('external_client', '=', client)
    .where('client_session_id', '=', external)
    .where('status', '=', sql.lit('active'))
    .execute()
}

/** The session is its client's own no more: another one will be. */
export async function detach(db: Db, id: string): Promise<void> {
  await db.updateTable('sessions').set({ ambient: false }).where('id', '=', id).execute()
}

/** What a session has in common with the ambient one of its client; without one it is nobody's. */
export const sharedWith = (ambient: SessionRow | undefined) => ({
  external_client: ambient?.external_client ?? '',
  client_session_id: ambient?.client_session_id ?? '',
  process: ambient?.process ?? '',
})

/** The session is shared with the client of this ambient one from now on, and with no other. */
export async function takeUp(db: Db, id: string, by: SessionRow | undefined): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ ...sharedWith(by), announced_at: sql<Date>`loam_now()` })
    .where('id', '=', id)
    .execute()
}
