/**
 * Connections: whom an Mcp-Session-Id speaks for. The truth is a table, so that a connection
 * continues after a restart and on another process; nothing of it is cached.
 */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { effectiveFeatures, type Features } from '../features/features.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { invalid, unavailable } from '../kernel/refusal.ts'
import type { Ambient, Isolation } from '../projects/projects.ts'
import { noSession, openSessionLab, revive } from '../sessions/sessions.ts'

export interface BoundSession {
  id: string
  name: string
  status: string
  /** '' is the global scope. */
  project: string
  isolation: Isolation
  model: string
}

/** What a call begins with, from one statement. */
export interface CallContext {
  /** Its id is '' when the protocol has no connections. */
  connection: { id: string; protocol: string }
  session: BoundSession | null
  /** Where agents work that speak through hooks only, when there is no session. */
  ambients: readonly Ambient[]
  /** The open lab; '' when there is none. */
  lab: string
  features: Features
}

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

/** False when there was none. */
export async function closeConnection(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('mcp_sessions')
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** From now on the connection speaks for the session; null: for none. */
export async function bindConnection(db: Db, id: string, session: string | null): Promise<void> {
  await db.updateTable('mcp_sessions').set({ session_id: session }).where('id', '=', id).execute()
}

/** Opens a lab where it is remembered: with the session, else with the connection. False: nowhere. */
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

/** The session has ended: no connection speaks for it any more, even if it is resumed elsewhere. */
export async function unbindSession(db: Db, session: string): Promise<void> {
  await db
    .updateTable('mcp_sessions')
    .set({ session_id: null })
    .where('session_id', '=', session)
    .execute()
}

/** What the database function of the same name answers. */
interface ContextRow {
  protocol: string
  lab: string
  features: unknown
  session: BoundSession | null
  ambients: Ambient[] | null
}

/**
 * Whom the connection speaks for, or undefined when there is no such connection.
 *
 * A completed session is bound no more. An expired one is revived: the call is proof of life.
 */
export async function callContext(kernel: Kernel, id: string): Promise<CallContext | undefined> {
  const { rows } = await sql<{ context: ContextRow | null }>`
    select call_context(${id}) as context`.execute(kernel.db)
  const context = rows[0]?.context
  if (!context) return undefined
  const { protocol, lab, session, ambients } = context
  if (session) await bringBack(kernel.db, session)
  const features = effectiveFeatures(kernel.config.features, context.features)
  return { connection: { id, protocol }, session, ambients: ambients ?? [], lab, features }
}

/** What a call begins with that comes on no connection: it speaks for the session that it names. */
export async function statelessContext(kernel: Kernel, protocol: string): Promise<CallContext> {
  const { rows } = await sql<{ features: unknown; ambients: Ambient[] }>`
    select (select value from settings where key = 'features_config') as features,
      (select coalesce(jsonb_agg(to_jsonb(a)), '[]') from ambient_places() a) as ambients`.execute(
    kernel.db,
  )
  const features = effectiveFeatures(kernel.config.features, rows[0]?.features)
  const ambients = rows[0]?.ambients ?? []
  return { connection: { id: '', protocol }, session: null, ambients, lab: '', features }
}

const PATIENCE = 5_000

/** No call hangs on a database that swallows what it is sent. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  let late: NodeJS.Timeout | undefined
  const patience = new Promise<never>((_, reject) => {
    late = setTimeout(
      () => reject(unavailable('the database does not answer; try again')),
      PATIENCE,
    )
  })
  try {
    return await Promise.race([work, patience])
  } finally {
    clearTimeout(late)
  }
}

/**
 * The session that a call names: it counts as bound. On a connection that is bound already it must
 * be the bound one, or it would be a door out of a sealed project.
 *
 * @param target it is what the call acts on, so that it may have ended and is not brought back
 */
export async function speakFor(
  { db }: Kernel,
  bound: BoundSession | null,
  named: string,
  target: boolean,
): Promise<BoundSession> {
  if (bound) {
    if (bound.id === named || bound.name === named) return bound
    throw invalid('session: this connection is bound to another session; leave the argument out')
  }
  const row = await db
    .selectFrom('sessions')
    .leftJoin('projects', 'projects.slug', 'sessions.project')
    .select(['sessions.id', 'sessions.name', 'sessions.project', 'isolation', 'model', 'status'])
    .where((or) => or.or([or('sessions.id', '=', named), or('sessions.name', '=', named)]))
    .$if(!target, (found) => found.where('status', '<>', 'completed'))
    .orderBy((order) => order('sessions.id', '=', named), 'desc')
    .executeTakeFirst()
  if (!row) {
    if (target) throw noSession()
    throw invalid(`session ${JSON.stringify(named.slice(0, 100))} not found; see session_start`)
  }
  const session = { ...row, isolation: (row.isolation ?? 'open') as Isolation }
  if (!target) await bringBack(db, session)
  return session
}

async function bringBack(db: Db, session: BoundSession): Promise<void> {
  if (session.status !== 'expired') return
  await revive(db, session.id)
  session.status = 'active'
}

/** For a timer: connections that nobody has used for thirty days are gone. */
export async function forgetIdleConnections({ db }: Kernel): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from mcp_sessions where id in (
      select id from mcp_sessions where last_seen < loam_now() - interval '30 days'
      order by id limit 1000 for update skip locked)`.execute(db)
  return Number(numAffectedRows)
}
