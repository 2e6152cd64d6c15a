/** Who acts on a task, and whether they may change it. */
import { conflict, Refusal } from '../kernel/refusal.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { NOBODY } from '../kernel/kernel.ts'
import { refuseUnwritable, type Scope } from '../projects/projects.ts'
import { meantAmbients, severalAgents } from '../sessions/sessions.ts'
import type { Standing } from './store.ts'

/** The session that a call speaks for, named or bound; null: for none. */
export type Speaking = { id: string; model: string } | null

/**
 * Who claims or gives back: the session of the call, else the only agent that its client's hook made
 * known. Never a guess between two.
 */
export async function actingSession(
  kernel: Kernel,
  session: Speaking,
  what: 'to claim as' | 'to release as',
): Promise<Actor> {
  if (session) return { session: session.id, model: session.model }
  const meant = await meantAmbients(kernel.db)
  if (meant.length > 1) throw severalAgents('agent', meant)
  const [first] = meant
  if (!first) {
    throw new Refusal(
      'not_found',
      `no active session ${what}; start one with session_start, or pass session with its name or id`,
    )
  }
  return { session: first.id, model: first.model }
}

/** Who changes a task: as above, but an agent that cannot be identified is nobody and holds nothing. */
export async function changingSession(kernel: Kernel, session: Speaking): Promise<Actor> {
  if (session) return { session: session.id, model: session.model }
  const [first, second] = await meantAmbients(kernel.db)
  return first && !second ? { session: first.id, model: first.model } : NOBODY
}

export const unknownTask = (id: string): Refusal =>
  new Refusal('not_found', `task not found: ${quote(id)}; tasks_list tells what there is`)

/** The task, if the scope may write where it lies. A fenced task is refused like an unknown id. */
export function judged(scope: Scope, task: Standing | undefined, id: string): Standing {
  if (!task || (!task.readable && !task.writable)) throw unknownTask(id)
  refuseUnwritable(scope, task, 'task')
  return task
}

/** An old claim gives no rights, even if its holder did not notice that it ended. */
export function refuseStaleToken(task: Standing, token: string | undefined): void {
  if (token === undefined || token === task.claim_token) return
  throw conflict(
    `task already claimed: ${quote(task.id)} is no longer held under this claim_token; ` +
      'what you did since may be done twice: look with tasks_list id, then claim it again or leave it',
  )
}

/** Somebody else holds it now. Who that is belongs to the project. */
export function refuseHeld(task: Standing, by: Actor): void {
  if (!task.live || task.claimed_by === by.session) return
  const until = task.lease_expires_at?.toISOString()
  const holder = task.readable ? `held by ${task.claimed_by} until ${until}` : 'held by another'
  throw conflict(`task already claimed: ${quote(task.id)} is ${holder}`)
}

export const quote = (id: string): string => JSON.stringify(id.slice(0, 100))
