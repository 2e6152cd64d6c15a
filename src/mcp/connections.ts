/**
 * Connections: what an Mcp-Session-Id stands for. They are rows, so that a connection continues after
 * a restart and on another process. What is kept of them ends with the next change of any.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { openSessionLab } from '../sessions/sessions.ts'

const ID = /^mcp-session-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const newConnectionId = (): string => `mcp-session-${randomUUID()}`
export const isConnectionId = (text: string): boolean => ID.test(text)

export interface NewConnection {
  id: string
  client: string
  client_version: string
  protocol_version: string
}

export async function openConnection(db: Db, connection: NewConnection): Promise<void> {
  await db.insertInto('mcp_sessions').values(connection).execute()
}

/** Returns the session for which the connection spoke, '' for none; undefined when there was none. */
export async function closeConnection(db: Db, id: string): Promise<string | undefined> {
  const closed = await db
    .deleteFrom('mcp_sessions')
    .where('id', '=', id)
    .returning(['session_id', 'spoke_for'])
    .executeTakeFirst()
  return closed && (closed.session_id ?? closed.spoke_for)
}

/**
 * Whether another connection that was used within the last hour speaks for the session, or for one that shares its
 * client and so ends with it.
 */
export async function isSpokenFor(db: Db, session: string): Promise<boolean> {
  const other = await db
    .selectFrom('mcp_sessions as c')
    .innerJoin('sessions as theirs', (on) =>
      on.on(sql<boolean>`theirs.id in (c.session_id, c.spoke_for)`),
    )
    .innerJoin('sessions as own', (on) =>
      on.on(sql<boolean>`own.id = theirs.id or own.client_session_id <> '' and
        (own.external_client, own.client_session_id) = (theirs.external_client, theirs.client_session_id)`),
    )
    .select('c.id')
    .where('own.id', '=', session)
    .where('c.last_seen', '>', sql<Date>`loam_now() - interval '1 hour'`)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** Makes the connection speak for the session from now on; null: for none. */
export async function bindConnection(db: Db, id: string, session: string | null): Promise<void> {
  await db.updateTable('mcp_sessions').set({ session_id: session }).where('id', '=', id).execute()
}

/** Unbinds every connection from a session that has ended, even if it is resumed elsewhere. */
export async function unbindSession(db: Db, session: string): Promise<void> {
  await db
    .updateTable('mcp_sessions')
    .set({ session_id: null })
    .where('session_id', '=', session)
    .execute()
}

/** Opens a lab for the session, else for the connection. Returns false when there is neither. */
export async function keepLab(
  db: Db,
  session: string,
  connection: string,
  lab: string,
): Promise<boolean> {
  if (session !== '') await openSessionLab(db, session, lab)
  else await db.updateTable('mcp_sessions').set({ lab }).where('id', '=', connection).execute()
  return session !== '' || connection !== ''
}

/** Deletes the connections that nobody has used for thirty days. For a timer. */
export async function forgetIdleConnections({ db }: Kernel): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from mcp_sessions where id in (
      select id from mcp_sessions where last_seen < loam_now() - interval '30 days'
      order by id limit 1000 for update skip locked)`.execute(db)
  return Number(numAffectedRows)
}
