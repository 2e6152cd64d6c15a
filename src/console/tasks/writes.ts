import { forceRelease } from '../../tasks/tasks.ts'
import { act } from '../screen.ts'
import { ownerScope } from '../../projects/projects.ts'

/** Takes a claim away from any holder. */
export const releaseClaim = act({
  path: '/:id/release',
  next: '/console/sessions',
  notice: 'Claim released.',
  async run(kernel, { id }) {
    const { title, status, project } = await forceRelease(kernel, ownerScope(), id)
    return { id, title, status, project }
  },
})
