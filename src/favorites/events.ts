import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** A caller set or cleared a star, even when that changed nothing. */
export const favoriteChanged = defineEvent(
  'favorite.changed',
  Type.Object({
    kind: Type.String(),
    /** The name, slug or id that the caller gave. */
    id: Type.String(),
    favorite: Type.Boolean(),
    by: Type.String(),
  }),
  ({ kind, id, favorite }) => `${favorite ? 'starred' : 'unstarred'} ${kind} ${id}`,
)
