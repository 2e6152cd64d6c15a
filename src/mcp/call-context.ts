/** The context of a call: for whom it speaks, and what is on for it. */
import { sql } from 'kysely'
import { effectiveFeatures, type Features } from '../features/features.ts'
import type { Db, Kernel } from '../kernel/kernel.ts'
import { invalid, unavailable } from '../kernel/refusal.ts'
import { isolationOf, type Ambient, type Level } from '../projects/projects.ts'
import { noSession, revive } from '../sessions/sessions.ts'

export interface BoundSession {
  id: string
  name: string
  status: string
  /** '' is the global scope. */
  project: string
  isolation: Level
  model: string
}

/** What a call begins with. One statement reads it. */
export interface CallContext {
  /** Its id is '' when the protocol has no connections. */
  connection: { id: string; protocol: string }
  session: BoundSession | null
  /** Where agents work whose client has hooks only; for a call without a session. */
  ambients: readonly Ambient[]
  /** The open lab; '' when there is none. */
  lab: string
  features: Features
}

/** What the database function `call_context` returns. */
interface ContextRow {
  protocol: string
  lab: string
  features: unknown
  session: BoundSession | null
  ambients: Ambient[] | null
}

/**
 * Returns the context of calls on a connection, or undefined when there is no such connection.
 *
 * A completed session is bound no more. An expired one is revived: the call is proof of life.
 */
export async function connectionContext(
  kernel: Kernel,
  id: string,
): Promise<CallContext | undefined> {
  const { rows } = await sql<{ context: ContextRow | null }>`
    select call_context(${id}) as context`.execute(kernel.db)
  const context = rows[0]?.context
  if (!context) return undefined
  const { protocol, lab, session, ambients } = context
  if (session) await reviveExpired(kernel.db, session)
  const features = effectiveFeatures(kernel.config.features, context.features)
  return { connection: { id, protocol }, session, ambients: ambients ?? [], lab, features }
}

/** Returns the context of a call without a connection: it speaks for the session that it names. */
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

/** How long a call waits for its context: a lost database must not hang it. */
const CONTEXT_TIMEOUT_MS = 5_000

/** Refuses when the work takes longer than a call may wait for its context. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(unavailable('the database does not answer; try again')),
      CONTEXT_TIMEOUT_MS,
    )
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Returns the session that a call names: it counts as bound. On a connection that is bound already it
 * must be the bound one, or the argument would be a way out of a sealed project.
 *
 * @param isTarget the call acts on the session, which may have ended and is not revived
 */
export async function namedSession(
  { db }: Kernel,
  bound: BoundSession | null,
  named: string,
  isTarget: boolean,
): Promise<BoundSession> {
  if (bound) {
    if (bound.id === named || bound.name === named) return bound
    throw invalid('session: this connection is bound to another session; leave the argument out')
  }
  const row = await db
    .selectFrom('sessions')
    .select(['id', 'name', 'project', 'model', 'status'])
    .select(isolationOf('sessions.project').as('isolation'))
    .where((or) => or.or([or('id', '=', named), or('name', '=', named)]))
    .$if(!isTarget, (found) => found.where('status', '<>', 'completed'))
    .orderBy((order) => order('id', '=', named), 'desc')
    .executeTakeFirst()
  if (!row) {
    if (isTarget) throw noSession()
    throw invalid(`session ${JSON.stringify(named.slice(0, 100))} not found; see session_start`)
  }
  if (!isTarget) await reviveExpired(db, row)
  return row
}

async function reviveExpired(db: Db, session: BoundSession): Promise<void> {
  if (session.status !== 'expired') return
  await revive(db, session.id)
  session.status = 'active'
}
