/** Claims: who works on a task, for how long, and how it is given back. */
import { isFollowed, record } from '../kernel/events.ts'
import { newId } from '../kernel/id.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { NOBODY } from '../kernel/kernel.ts'
import { conflict, Refusal } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import type { OwnerScope, Scope } from '../projects/projects.ts'
import { isActive } from '../sessions/sessions.ts'
import { taskTransition } from './events.ts'
import {
  holderOf,
  judged,
  quote,
  refuseHeld,
  refuseNobody,
  refuseStaleToken,
  unknownTask,
} from './holder.ts'
import { unfinishedBlockers } from './queue.ts'
import * as store from './store.ts'
import { isFinished, type Task } from './task.ts'

export interface ClaimAsked {
  /** How long the claim holds unless it is renewed. */
  seconds: number
  /** What the holder will change. Left out in a renewal, it stays. */
  paths?: string[] | undefined
  /** Of the claim that is renewed: refused when it is not the current one. */
  token?: string | undefined
}

export interface Claimed {
  task: Task
  /** What distinguishes this claim from every other claim of the task. */
  token: string
  /** The session held it already; its lease runs from now. */
  renewed: boolean
  /** Whose lease had run out; '' when it was nobody's. */
  prior_holder: string
}

/** The task may change between a failed claim and the look for the reason; then the claim is tried again. */
const TRIES = 3

/**
 * Takes the task if it can be begun, or if it was begun and no lease runs. For its holder the lease
 * begins anew. One function of the database decides, by its clock. A refusal needs a second look for its
 * reason; a step of a plan is claimed in a transaction, with what follows from it.
 */
export async function claimTask(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  id: string,
  asked: ClaimAsked,
): Promise<Claimed> {
  if (by.session === '') judged(scope, await store.findStanding(kernel.db, id, scope), id)
  await refuseNobody(kernel, by, 'to claim as')
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const claimed = await takeAlone(kernel, by, scope, id, asked)
    if (claimed) return claimed
    const task = judged(scope, await store.findStanding(kernel.db, id, scope), id)
    refuseStaleToken(task, asked.token)
    refuseHeld(task, by)
    await refuseNotReady(kernel, scope, task)
    if (!(await isActive(kernel.db, holderOf(by)))) {
      throw new Refusal('not_found', 'no active session to claim as: it has just ended')
    }
    const taken = await takeWithReactions(kernel, by, scope, id, asked)
    if (taken) return taken
  }
  throw conflict(`task already claimed: ${quote(id)} changed during the claim; try again`)
}

/** Undefined: it was not given. */
type Take = (
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  id: string,
  asked: ClaimAsked,
) => Promise<Claimed | undefined>

/**
 * A task without a plan, whose claim has no reactions: taken and recorded in one statement, which cannot record that
 * the session is a guess.
 */
const takeAlone: Take = async (kernel, by, scope, id, asked) => {
  if (by.session === '') return undefined
  if (isFollowed(kernel, taskTransition, { to: 'in_progress' })) return undefined
  const event = newId(kernel.clock.now())
  const given = await store.putClaim(kernel.db, { ...wanted(kernel, by, id, asked), event }, scope)
  return given && claimedAs(given)
}

/** Any task, also for a session that is a guess, in a transaction with the reactions to its claim. */
const takeWithReactions: Take = (kernel, by, scope, id, asked) =>
  inTransaction(kernel, async (kernel) => {
    const claim = { ...wanted(kernel, by, id, asked), event: null }
    const given = await store.putClaim(kernel.db, claim, scope)
    if (!given) return undefined
    await record(kernel, taskTransition, {
      by,
      project: given.project,
      item: id,
      payload: given.transition,
    })
    return claimedAs(given)
  })

const wanted = (
  { clock }: Kernel,
  by: Actor,
  task: string,
  { seconds, paths, token: claim_token }: ClaimAsked,
) => ({
  task,
  session: holderOf(by),
  token: newId(clock.now()),
  seconds,
  paths: paths ?? null,
  claim_token: claim_token ?? null,
})

const claimedAs = ({ claim_token: token, renewed, prior_holder, ...task }: store.Given) => ({
  task,
  token,
  renewed,
  prior_holder,
})

/** Blockers that a refusal names. */
const NAMED = 5

async function refuseNotReady(kernel: Kernel, scope: Scope, task: store.Standing): Promise<void> {
  const { id, status, waits_for } = task
  if (isFinished(status)) {
    throw conflict(
      `task closed: ${quote(id)} is ${status}; tasks_update status=open would reopen it`,
    )
  }
  if (status !== 'open' || waits_for === 0) return
  const blockers = await unfinishedBlockers(kernel.db, scope, { task: id, most: NAMED })
  const named = blockers.map((each) => (each.readable ? `${each.id} (${each.status})` : each.id))
  const more = waits_for > blockers.length ? ` and ${waits_for - blockers.length} more` : ''
  throw conflict(`task blocked: ${quote(id)} waits on ${named.join(', ')}${more}`)
}

/** Gives the task back: open again, whether or not the holder's lease still ran. */
export async function releaseTask(
  kernel: Kernel,
  by: Actor,
  scope: Scope,
  id: string,
  token: string | undefined,
): Promise<Task> {
  if (by.session === '') judged(scope, await store.findStanding(kernel.db, id, scope), id)
  await refuseNobody(kernel, by, 'to release as')
  return inTransaction(kernel, async (kernel) => {
    const task = judged(scope, await store.lockStanding(kernel.db, id, scope), id)
    refuseStaleToken(task, token)
    if (task.status !== 'in_progress' || task.claimed_by !== holderOf(by)) {
      throw conflict(`task already claimed: ${quote(id)} is not held by your session`)
    }
    return giveBack(kernel, by, task, {})
  })
}

/** The owner takes a claim away, from any holder; with `lapsed` only one whose lease is over. */
export function forceRelease(
  kernel: Kernel,
  owner: OwnerScope,
  id: string,
  { lapsed = false }: { lapsed?: boolean } = {},
): Promise<Task> {
  return inTransaction(kernel, async (kernel) => {
    const task = await store.lockForOwner(kernel.db, owner, id)
    if (!task) throw unknownTask(id)
    if (task.status !== 'in_progress' || task.claimed_by === '') {
      throw conflict(`task ${quote(id)} is not claimed by anybody`)
    }
    if (lapsed && task.runs) {
      throw conflict(`task ${quote(id)} is carried again: its lease has been renewed meanwhile`)
    }
    return giveBack(kernel, NOBODY, task, { by: 'console' })
  })
}

async function giveBack(
  kernel: Kernel,
  by: Actor,
  { id, project, plan }: Pick<Task, 'id' | 'project' | 'plan'>,
  how: { by?: 'console' },
): Promise<Task> {
  const task = await store.reopen(kernel.db, id)
  await recordRelease(kernel, by, { id, project, plan }, how)
  return task
}

async function recordRelease(
  kernel: Kernel,
  by: Actor,
  { id, project, plan }: Pick<Task, 'id' | 'project' | 'plan'>,
  how: { by?: 'console' } = {},
): Promise<void> {
  await record(kernel, taskTransition, {
    by,
    project,
    item: id,
    payload: {
      from: 'in_progress',
      to: 'open',
      released: true,
      ...how,
      ...(plan && { plan_slug: plan }),
    },
  })
}

/**
 * Gives back every task that the session holds: open again, held by nobody. One transition each.
 * Call it in the transaction that ends the session.
 */
export async function releaseClaims(kernel: Kernel, session: string): Promise<number> {
  const released = await store.reopenHeldBy(kernel.db, session)
  for (const task of released) await recordRelease(kernel, { session, model: '' }, task)
  return released.length
}
