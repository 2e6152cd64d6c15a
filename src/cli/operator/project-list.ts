import Type from 'typebox'
import { defineCommand } from '../command.ts'
import { ownerScope } from '../../projects/projects.ts'

export const projectList = defineCommand({
  name: 'project list',
  summary: 'list every project with what it holds',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    async work({ kernel }) {
      const { overviewProjects } = await import('../../projects/projects.ts')
      return overviewProjects(kernel, ownerScope())
    },
  },
  async run(_, { operate, say }) {
    const projects = await operate({})
    for (const { slug, name, isolation, parent, retired, memories, notes, tasks } of projects) {
      const parts = [
        name === slug ? slug : `${slug} (${name})`,
        ...(isolation === 'open' ? [] : [isolation]),
        ...(parent === null ? [] : [`inherits from ${parent}`]),
        ...(retired === null ? [] : ['retired']),
        `${memories} memories, ${notes} notes, ${tasks} tasks to do`,
      ]
      say(parts.join('  '))
    }
    if (projects.length === 0) say('There is no project yet.')
  },
})
