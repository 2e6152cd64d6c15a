import { NOBODY } from '../../kernel/kernel.ts'
import { archive } from '../../memories/memories.ts'
import { act } from '../screen.ts'

/** Agents are told of it no more; its file stays, with a last line that says so. */
export const archiveMemory = act({
  path: '/:id/archive',
  next: '/console/memories',
  async run(kernel, { id }) {
    const { name, project } = await archive(kernel, NOBODY, id.toUpperCase(), { agent: 'console' })
    return { id: id.toUpperCase(), name, project, status: 'archived' }
  },
  notice: ({ name }) => `Archived ${name}.`,
})
