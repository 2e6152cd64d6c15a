/** Proposals of one plan, which are decided together or given another place. */
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict, invalid, notFound, Refusal } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { findPlace, isFenced, parseProject, wireProject } from '../projects/projects.ts'
import { applyProposal } from './apply.ts'
import { refuseDecided, remember } from './decide.ts'
import {
  lockProposal,
  openTwin,
  pendingOfPlan,
  rewriteMove,
  targetsOfPlan,
  type Proposal,
} from './store.ts'

export interface AppliedPlan {
  applied: number
  of: number
  /** Why the first of those that failed did. They wait still. */
  error?: string
}

/** Applies all that waits of a plan, its projects before its moves, each by itself. Refused when nothing waits. */
export async function applyPlan(kernel: Kernel, by: Actor, plan: string): Promise<AppliedPlan> {
  const ids = await pendingOfPlan(kernel.db, plan)
  if (ids.length === 0) throw notFound(`plan of proposals ${JSON.stringify(plan.slice(0, 200))}`)
  let applied = 0
  let error: string | undefined
  for (const id of ids) {
    try {
      await applyProposal(kernel, by, id)
      applied++
    } catch (caught) {
      if (!(caught instanceof Refusal)) throw caught
      error ??= caught.message
    }
  }
  return { applied, of: ids.length, ...(error !== undefined && { error }) }
}

/**
 * Gives a move that waits another destination: a project that is there, or one that its plan makes. Refused where the
 * memory lies already, for a fenced project, and when the same move is proposed.
 */
export function retargetProposal(
  kernel: Kernel,
  by: Actor,
  id: string,
  asked: string,
): Promise<Proposal> {
  return inTransaction(kernel, async (kernel) => {
    const proposal = await lockProposal(kernel.db, id)
    if (proposal.kind !== 'reproject') {
      throw invalid(`proposal ${id} is a ${proposal.kind}: only a move has a destination`)
    }
    refuseDecided(proposal)
    const to = parseProject(asked)
    if (to === undefined) throw invalid('to is missing: name a project')
    const { from, to: before } = proposal.payload
    if (to === from) throw invalid(`"${proposal.payload.name}" is in ${wireProject(to)} already`)
    if (to === before) return proposal
    const place = await findPlace(kernel.db, to)
    const known =
      to === '' || place.registered || (await targetsOfPlan(kernel.db, proposal.plan)).has(to)
    if (!known) throw invalid(`there is no project ${JSON.stringify(to)}: choose one that is there`)
    if (isFenced(place))
      throw invalid(`project ${to} is ${place.isolation}: nothing is moved there`)
    const key = `reproject:${proposal.payload.id}:${to}`
    const twin = await openTwin(kernel.db, { dedupe_key: key })
    if (twin) throw conflict(`the same move is proposed already, as ${twin}`)
    await rewriteMove(kernel.db, id, { key, to, projects: [from, to] })
    await remember(kernel, by, proposal, 'retarget', {
      was: wireProject(before),
      to: wireProject(to),
    })
    return proposal
  })
}
