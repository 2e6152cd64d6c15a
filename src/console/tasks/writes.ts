import Type from 'typebox'
import { forceRelease } from '../../tasks/tasks.ts'
import { act } from '../screen.ts'
import { ownerScope } from '../../projects/projects.ts'

/**
 * Takes a claim away from any holder. A form that asks for no confirmation sends `lapsed`: what is carried
 * again when it arrives stays with its holder.
 */
export const releaseClaim = act({
  path: '/:id/release',
  form: Type.Object({ lapsed: Type.Optional(Type.Literal('1')) }),
  next: ({ id }, links) => links.to('task', id) ?? '/console/now',
  notice: ({ title }: { title: string }) => `Released “${title}”.`,
  async run(kernel, { id, lapsed }) {
    const { title, status, project } = await forceRelease(kernel, ownerScope(), id, {
      lapsed: lapsed === '1',
    })
    return { id, title, status, project }
  },
})
