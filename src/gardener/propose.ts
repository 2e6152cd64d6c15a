/** The gardener proposes. Nothing but the proposal is written. */
import { recordAll, pendingEvent } from '../kernel/events.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { gardenerAction } from './events.ts'
import { insertProposals, type Draft } from './store.ts'

/** Proposes what may be proposed again. Returns those that were, in their order. */
export function propose(kernel: Kernel, by: Actor, drafts: readonly Draft[]): Promise<Draft[]> {
  return inTransaction(kernel, async (kernel) => {
    const ids = await insertProposals(kernel.db, drafts)
    const made = drafts.filter(({ id }) => ids.has(id))
    await recordAll(
      kernel,
      made.map(({ id: item, kind, projects }) =>
        pendingEvent(gardenerAction, {
          by,
          project: projects[0] ?? null,
          item,
          payload: { action: 'propose', kind },
        }),
      ),
    )
    return made
  })
}
