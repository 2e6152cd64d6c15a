import Type from 'typebox'
import { defineEvent } from '../kernel/events.ts'

/** A task came to be, or its status became another. */
export const taskTransition = defineEvent(
  'task.transition',
  Type.Object({
    to: Type.Enum(['open', 'in_progress', 'done', 'dropped']),
    created: Type.Optional(Type.Literal(true)),
    /** Given back: by its holder, or because the holder's session ended. */
    released: Type.Optional(Type.Literal(true)),
    claimed_by: Type.Optional(Type.String()),
    /** Taken over from a holder whose lease had run out. */
    reclaimed: Type.Optional(Type.Literal(true)),
    prior_holder: Type.Optional(Type.String()),
    plan_slug: Type.Optional(Type.String()),
  }),
  ({ to, created, released, claimed_by }) => {
    if (created) return 'added a task'
    if (released) return 'gave a task back'
    if (claimed_by) return 'claimed a task'
    return `task is ${to?.replace('_', ' ') ?? 'changed'}`
  },
)
