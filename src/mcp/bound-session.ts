/** The session for which a call speaks. */
import type { Kernel } from '../kernel/kernel.ts'
import { invalid } from '../kernel/refusal.ts'
import { isolationOf, type Level } from '../projects/projects.ts'
import { noSession, revive } from '../sessions/sessions.ts'

export interface BoundSession {
  id: string
  name: string
  status: string
  /** '' is the global scope. */
  project: string
  isolation: Level
  /** The project was seen to have a row. */
  registered?: boolean
  model: string
  /** What its client calls it; '' when no hook has said so. */
  client_session_id: string
}

/**
 * Returns the session that a call names: it counts as bound. On a connection that session_start bound it
 * must be the bound one, or the argument would be a way out of a sealed project.
 *
 * @param isTarget the call acts on the session, which may have ended and is not revived
 */
export async function namedSession(
  kernel: Kernel,
  bound: BoundSession | null,
  named: string,
  isTarget: boolean,
): Promise<BoundSession> {
  if (bound) {
    if (bound.id === named || bound.name === named) return bound
    throw invalid('session: this connection is bound to another session; leave the argument out')
  }
  const row = await kernel.db
    .selectFrom('sessions')
    .select(['id', 'name', 'project', 'model', 'status', 'client_session_id'])
    .select(isolationOf('sessions.project').as('isolation'))
    .where((or) => or.or([or('id', '=', named), or('name', '=', named)]))
    .orderBy((order) => order('id', '=', named), 'desc')
    .executeTakeFirst()
  if (!row) {
    if (isTarget) throw noSession()
    throw invalid(`session ${JSON.stringify(named.slice(0, 100))} not found; see session_start`)
  }
  if (!isTarget) await reviveBound(kernel, row)
  return row
}

/** A call is proof of life: the session for which it speaks is active again. */
export async function reviveBound(kernel: Kernel, session: BoundSession): Promise<void> {
  if (session.status === 'active') return
  await revive(kernel, session.id)
  session.status = 'active'
}
