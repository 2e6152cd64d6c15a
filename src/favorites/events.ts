import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** Somebody set or cleared a star, whether or not it was so before. */
export const favoriteChanged = defineEvent(
  'favorite.changed',
  Type.Object({
    kind: Type.String(),
    /** As it was named: a name, a slug or an id. */
    id: Type.String(),
    favorite: Type.Boolean(),
    by: Type.String(),
  }),
  ({ kind, id, favorite }) => `${favorite ? 'starred' : 'unstarred'} ${kind} ${id}`,
)
