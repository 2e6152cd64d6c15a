import Type from 'typebox'
import { defineEvent, defineTransportEvent } from '../kernel/events.ts'

/** Knowledge was put before an agent. Kept for ever: what was useful is counted from it. */
export const retrievalInjected = defineEvent(
  'retrieval.injected',
  Type.Object({
    query: Type.String(),
    /** In the order of their rank. */
    item_ids: Type.Array(Type.String()),
    item_scores: Type.Array(Type.Number()),
    source: Type.String(),
  }),
  ({ query, item_ids = [] }) =>
    `recall “${query ?? ''}” (${item_ids.length} ${item_ids.length === 1 ? 'hit' : 'hits'})`,
)

/** A question that nothing answered. */
export const recallMiss = defineTransportEvent(
  'recall.miss',
  Type.Object({
    query: Type.String(),
    scope: Type.String(),
    limit: Type.Integer(),
    source: Type.String(),
    kind: Type.Optional(Type.String()),
  }),
  ({ query }) => `recall “${query ?? ''}” found nothing`,
)
