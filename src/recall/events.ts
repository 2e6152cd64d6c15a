import Type from 'typebox'
import { defineEvent, defineTransportEvent } from '../kernel/event-kind.ts'

/** Sources whose tool.call says already what was surfaced. */
export const IN_ITS_CALL: ReadonlySet<string> = new Set([
  'recall',
  'recall-browse',
  'recall-explain',
])

/**
 * Knowledge was put before an agent: it had asked (`source`), or was told by its client's hook or by
 * session_start (`hook`). Kept for ever: what was useful is counted from it.
 */
export const retrievalInjected = defineEvent(
  'retrieval.injected',
  Type.Object({
    /** In the order of their rank. */
    item_ids: Type.Array(Type.String()),
    query: Type.Optional(Type.String()),
    item_scores: Type.Optional(Type.Array(Type.Number())),
    source: Type.Optional(Type.String()),
    /** By which event of a client it was told. */
    hook: Type.Optional(Type.String()),
    claude_session_id: Type.Optional(Type.String()),
    external_client: Type.Optional(Type.String()),
    /** Exactly what was handed over, tags included. */
    content: Type.Optional(Type.String()),
    /** False: the text was cut, and some of the items may stand in the part that fell away. */
    item_ids_exact: Type.Optional(Type.Boolean()),
    original_item_count: Type.Optional(Type.Integer()),
    original_estimated_tokens: Type.Optional(Type.Integer()),
    emitted_estimated_tokens: Type.Optional(Type.Integer()),
    truncated: Type.Optional(Type.Boolean()),
    /** Memories left out because the agent had been told them before, and the tokens of these. */
    held_item_count: Type.Optional(Type.Integer()),
    saved_estimated_tokens: Type.Optional(Type.Integer()),
    /** What its user had asked, cut and with secrets masked. */
    prompt: Type.Optional(Type.String()),
  }),
  ({ query, hook, item_ids = [] }) => {
    if (hook !== undefined) return `told by ${hook} (${counted(item_ids.length, 'item')})`
    return `recall “${query ?? ''}” (${counted(item_ids.length, 'hit')})`
  },
  { severity: 'inject', interaction: ({ source }) => !IN_ITS_CALL.has(String(source)) },
)

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`

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
  { interaction: true },
)
