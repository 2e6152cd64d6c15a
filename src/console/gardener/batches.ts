/** What is decided together: the projects that a split makes, and the moves into them. */
import type { Card } from '../../gardener/gardener.ts'

interface Target {
  slug: string
  label: string
}

/** The batches among these cards, in their order, with the places to which a move may go instead. */
export function batchesOf(cards: readonly Card[], shown: readonly { id: string }[]) {
  const byId = new Map(shown.map((card) => [card.id, card]))
  const plans = Map.groupBy(cards, ({ proposal }) => proposal.plan)
  plans.delete('')
  return [...plans].map(([slug, batch]) => ({
    slug,
    request: requestOf(batch),
    move_count: batch.filter(({ proposal }) => proposal.kind === 'reproject').length,
    cards: batch.flatMap(({ proposal }) => byId.get(proposal.id) ?? []),
    targets: targetsOf(batch),
  }))
}

function requestOf(batch: readonly Card[]): string | undefined {
  for (const { proposal } of batch) {
    const { request_text } = proposal.payload as { request_text?: string }
    if (request_text) return request_text
  }
  return undefined
}

/** Those that the split makes; once it is applied, those to which its moves go. */
function targetsOf(batch: readonly Card[]): Target[] {
  const targets = new Map<string, string>()
  for (const { proposal } of batch) {
    if (proposal.kind === 'split') {
      const { children, shared } = proposal.payload
      for (const { slug, label } of children) targets.set(slug, label)
      if ('slug' in shared) targets.set(shared.slug, shared.label)
    }
    if (proposal.kind === 'reproject' && !targets.has(proposal.payload.to)) {
      targets.set(proposal.payload.to, proposal.payload.to)
    }
  }
  return [...targets].map(([slug, label]) => ({ slug, label }))
}
