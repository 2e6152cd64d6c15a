/** Who acts on a task, and whether they may change it. */
import { conflict, Refusal } from '../kernel/refusal.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { refuseUnwritable, type Scope } from '../projects/projects.ts'
import { agentsAtWork, severalAgents } from '../sessions/sessions.ts'
import type { Standing } from './store.ts'

/**
 * The session that holds what the caller claims: its own, else the one that it probably is. An agent
 * that cannot be identified holds nothing.
 */
export const holderOf = ({ session, probably = '' }: Actor): string => session || probably

/** Refuses a caller that could hold nothing. Never a guess between two. */
export async function refuseNobody(
  kernel: Kernel,
  by: Actor,
  what: 'to claim as' | 'to release as',
): Promise<void> {
  if (holderOf(by) !== '') return
  const agents = await agentsAtWork(kernel)
  if (agents.length > 0) throw severalAgents('agent', agents)
  throw new Refusal(
    'not_found',
    `no active session ${what}; start one with session_start, or pass session with its name or id`,
  )
}

export const unknownTask = (id: string): Refusal =>
  new Refusal('not_found', `task not found: ${quote(id)}; tasks_list tells what there is`)

/** The task, if the scope may write where it lies. A fenced task is refused like an unknown id. */
export function judged(scope: Scope, task: Standing | undefined, id: string): Standing {
  if (!task?.readable) throw unknownTask(id)
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

/** Somebody else holds it now. */
export function refuseHeld(task: Standing, by: Actor): void {
  if (!task.live || task.claimed_by === holderOf(by)) return
  const until = task.lease_expires_at?.toISOString()
  throw conflict(`task already claimed: ${quote(task.id)} is held by ${task.holder} until ${until}`)
}

export const quote = (id: string): string => JSON.stringify(id.slice(0, 100))
