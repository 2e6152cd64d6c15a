import Type from 'typebox'
import { defineTransportEvent } from '../kernel/event-kind.ts'

/** A prompt with which nothing was told: it matched nothing, or what its agent had been told before. */
export const hookPrompt = defineTransportEvent(
  'hook.prompt',
  Type.Object({
    hook: Type.String(),
    claude_session_id: Type.String(),
    external_client: Type.String(),
    /** Cut, with secrets masked. */
    prompt: Type.String(),
    matched: Type.Boolean(),
    /** Memories that matched and had been told before, and the tokens that they would have taken. */
    held_item_count: Type.Optional(Type.Integer()),
    saved_estimated_tokens: Type.Optional(Type.Integer()),
  }),
  ({ matched }) => (matched ? 'prompt about what was told before' : 'prompt without a match'),
  { interaction: true },
)

/** A hook that could not do its work. Its client was answered all the same. */
export const hookError = defineTransportEvent(
  'hook.error',
  Type.Object({
    /** A fixed label of what failed, by which failures are counted. */
    stage: Type.String(),
    error: Type.String(),
    client: Type.Optional(Type.String()),
  }),
  ({ stage, error }) => `hook ${stage ?? ''} failed: ${error ?? ''}`,
  { severity: 'danger' },
)
