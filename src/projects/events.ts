import Type from 'typebox'
import { defineEvent } from '../kernel/event-kind.ts'

/** A repository that was known by its remote was seen at a path where it was not before. */
export const repoMoved = defineEvent(
  'repo.moved',
  Type.Object({
    slug: Type.String(),
    new_path: Type.String(),
    old_paths: Type.Array(Type.String()),
  }),
  ({ slug, new_path }) => `the repository of ${slug} was seen at ${new_path}`,
)

/** The owner made, changed or ended a family. */
export const familiesChanged = defineEvent(
  'settings.families_changed',
  Type.Object({
    family: Type.String(),
    /** What it was called before. */
    was: Type.Optional(Type.String()),
    /** Its members now; none: it has ended. */
    members: Type.Array(Type.String()),
    by: Type.String(),
  }),
  ({ family = '', was, members = [] }) => {
    if (members.length === 0) return `ended the family ${family}`
    const named = was === undefined ? `family ${family}` : `family ${family}, before ${was}`
    return `${named}: ${members.join(', ')}`
  },
)
