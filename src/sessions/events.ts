import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** A session began, or came back. */
export const sessionStarted = defineEvent(
  'session.started',
  Type.Object({
    /** It was there before, in whatever state. */
    resumed: Type.Optional(Type.Literal(true)),
    /** session_start took over what a hook had made for the same directory. */
    adopted: Type.Optional(Type.Literal(true)),
    /** Made by a client's hook. */
    ambient: Type.Optional(Type.Literal(true)),
  }),
  ({ resumed, adopted, ambient }) => {
    if (adopted) return 'took over its ambient session'
    return `${resumed ? 'resumed' : 'started'}${ambient ? ' with its client' : ''}`
  },
  { interaction: true },
)

/** A session ended: by itself, by its client, or after a long silence. */
export const sessionEnded = defineEvent(
  'session.ended',
  Type.Object({
    /** Tasks that it held and that are free again. Added by the room that holds them. */
    claims_released: Type.Optional(Type.Integer()),
    findings: Type.Optional(Type.String()),
    /** The client's reason, or `expired`. */
    reason: Type.Optional(Type.String()),
    reaped: Type.Optional(Type.Literal(true)),
    ambient: Type.Optional(Type.Literal(true)),
    /** The findings are what the client last said. */
    harvested: Type.Optional(Type.Literal(true)),
    /** Closed together with the ambient session of its client. */
    linked: Type.Optional(Type.Literal(true)),
  }),
  ({ reaped, reason, claims_released = 0 }) => {
    const how = reaped ? 'expired' : reason ? `ended (${reason})` : 'ended'
    return claims_released > 0 ? `${how}; ${claims_released} claimed tasks are free again` : how
  },
  { interaction: true },
)

/** Something an agent did wrong, and reported when its session ended. */
export const agentMishap = defineEvent(
  'agent.mishap',
  Type.Object({
    description: Type.String(),
    /** Memories that the description names. */
    item_ids: Type.Optional(Type.Array(Type.String())),
  }),
  ({ description = '' }) => `mishap: ${description}`,
  { severity: 'danger' },
)
