import Type from 'typebox'
import { name } from '../../kernel/schema/bounds.ts'
import { approveComposition } from '../../plans/plans.ts'
import { ownerScope, parseProject } from '../../projects/projects.ts'
import { act } from '../screen.ts'

/** Approves a captured plan whose client never said so. */
export const approve = act({
  path: '/:slug/approve',
  /** The project, where several have a plan of this slug. */
  form: Type.Object({ project: Type.Optional(name({})) }),
  next: ({ slug }, links) => links.to('plan', slug) ?? '/console/',
  flashes: ['conflict', 'invalid', 'ambiguous'],
  async run(kernel, { slug, project }) {
    return approveComposition(kernel, ownerScope(), slug, parseProject(project), 'console')
  },
  notice: ({ before }) => (before === 'approved' ? 'Plan already approved.' : 'Plan approved.'),
})
