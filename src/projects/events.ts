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
