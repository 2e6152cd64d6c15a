/** Decisions that change nothing but the proposal. */
import { record } from '../kernel/events.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { gardenerAction } from './events.ts'
import { lockProposal, settle, unhide, type Proposal } from './store.ts'

/** Refuses a proposal that was decided already. */
export function refuseDecided({ id, status }: Proposal): void {
  if (status !== 'pending') throw conflict(`proposal ${id} is already ${status}`)
}

/** Not now: it is proposed again when there is newer evidence. */
export const dismissProposal = (kernel: Kernel, by: Actor, id: string) =>
  reject(kernel, by, id, 'dismissed')

/** Never again, until the block is lifted. */
export const hideProposal = (kernel: Kernel, by: Actor, id: string) =>
  reject(kernel, by, id, 'hidden')

/** Lifts the block: as if it had been dismissed when it was hidden. */
export function unhideProposal(kernel: Kernel, by: Actor, id: string): Promise<Proposal> {
  return inTransaction(kernel, async (kernel) => {
    const proposal = await lockProposal(kernel.db, id)
    if (proposal.status !== 'hidden') throw conflict(`proposal ${id} is not hidden`)
    await unhide(kernel.db, id)
    await remember(kernel, by, proposal, 'unhide')
    return proposal
  })
}

function reject(
  kernel: Kernel,
  by: Actor,
  id: string,
  status: 'dismissed' | 'hidden',
): Promise<Proposal> {
  return inTransaction(kernel, async (kernel) => {
    const proposal = await lockProposal(kernel.db, id)
    refuseDecided(proposal)
    await settle(kernel.db, id, { status, by: by.session })
    await remember(kernel, by, proposal, status === 'hidden' ? 'hide' : 'dismiss')
    return proposal
  })
}

export const remember = (
  kernel: Kernel,
  by: Actor,
  { id, kind, projects }: Proposal,
  action: string,
  more: { was?: string; to?: string } = {},
): Promise<string> =>
  record(kernel, gardenerAction, {
    by,
    project: projects[0] ?? null,
    item: id,
    payload: { action, kind, ...more },
  })
