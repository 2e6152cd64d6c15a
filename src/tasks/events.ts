import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** A task was added, or its status changed. */
export const taskTransition = defineEvent(
  'task.transition',
  Type.Object({
    from: Type.Optional(Type.Enum(['open', 'in_progress', 'done', 'dropped'])),
    to: Type.Enum(['open', 'in_progress', 'done', 'dropped']),
    created: Type.Optional(Type.Literal(true)),
    /** Given back: by its holder, or because the holder's session ended. */
    released: Type.Optional(Type.Literal(true)),
    /** Taken away by the owner. */
    by: Type.Optional(Type.Literal('console')),
    claimed_by: Type.Optional(Type.String()),
    /** When the claim ends unless it is renewed, by the database's clock. */
    lease_expires_at: Type.Optional(Type.String()),
    /** The holder goes on: its lease began anew. */
    renewed: Type.Optional(Type.Literal(true)),
    /** Taken over from a holder whose lease had run out. */
    reclaimed: Type.Optional(Type.Literal(true)),
    prior_holder: Type.Optional(Type.String()),
    plan_slug: Type.Optional(Type.String()),
  }),
  ({ to, created, released, by, claimed_by, renewed, reclaimed }) => {
    if (created) return 'added a task'
    if (by === 'console') return 'the owner took a claim away'
    if (released) return 'gave a task back'
    if (renewed) return 'goes on with a task'
    if (reclaimed) return 'took a task over whose lease had run out'
    if (claimed_by) return 'claimed a task'
    return `task is ${to?.replace('_', ' ') ?? 'changed'}`
  },
)
