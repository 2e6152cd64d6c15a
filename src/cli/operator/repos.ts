import Type from 'typebox'
import { defineCommand } from '../command.ts'

export const repos = defineCommand({
  name: 'repos',
  summary: 'list every directory and git remote that is known, with its project',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    async work({ kernel }) {
      const { listRepos } = await import('../../projects/projects.ts')
      return listRepos(kernel)
    },
  },
  async run(_, { operate, say }) {
    const rows = await operate({})
    for (const { place, project, sighted } of rows)
      say(`${place}  ${project}${sighted ? '  (at first sight)' : ''}`)
    if (rows.length === 0) say('No place is known yet.')
  },
})
