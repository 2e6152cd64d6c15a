/** The gardener proposes. Nothing but the proposal is written. */
import { recordAll, pendingEvent } from '../kernel/events.ts'
import type { Actor, Kernel } from '../kernel/kernel.ts'
import { conflict } from '../kernel/refusal.ts'
import { inTransaction } from '../postgres/transaction.ts'
import { gardenerAction } from './events.ts'
import { insertProposals, type Draft } from './store.ts'

/**
 * Proposes what may be proposed again. Returns those that were, in their order. A split is proposed whole or refused:
 * moves without it would be carried out with those of another one.
 */
export function propose(kernel: Kernel, by: Actor, drafts: readonly Draft[]): Promise<Draft[]> {
  return inTransaction(kernel, async (kernel) => {
    const ids = await insertProposals(kernel.db, drafts)
    const split = drafts.find(({ kind }) => kind === 'split')
    if (split && !ids.has(split.id)) throw conflict(standing(split))
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

const standing = ({ projects: [source] }: Draft): string =>
  `a split of ${source} is proposed already, or was hidden for good; nothing was proposed`
