import Type from 'typebox'
import { defineTransportEvent } from '../kernel/event-kind.ts'

/** A call of a tool, refused calls included. Pruned by the month. */
export const toolCall = defineTransportEvent(
  'tool.call',
  Type.Object({
    tool: Type.String(),
    duration_ms: Type.Integer(),
    /** As sent, masked and cut; absent when there were none. */
    args: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    /** The text of the answer, masked and cut. */
    result: Type.String(),
    is_error: Type.Optional(Type.Literal(true)),
    error: Type.Optional(Type.String()),
    /** The kind of the refusal; of a `conflict` another was faster, and nothing is wrong. */
    refused: Type.Optional(Type.String()),
  }),
  ({ tool, is_error }) => `${tool ?? 'a tool'} ${is_error ? 'failed' : 'was called'}`,
  { interaction: true },
)
