import Type from 'typebox'
import { line, name } from '../../kernel/schema/bounds.ts'
import { defineCommand } from '../command.ts'

export const projectRename = defineCommand({
  name: 'project rename',
  summary: 'give a project another name; its slug stays',
  for: 'operator',
  arguments: { '<project>': 'its slug', '<name>': 'the name for people' },
  operation: {
    input: Type.Object({ project: name(), name: line() }),
    async work({ kernel }, { project, name }) {
      const { renameProject } = await import('../../projects/projects.ts')
      return renameProject(kernel, project, name)
    },
  },
  async run({ project, name }, { operate, say }) {
    const named = await operate({ project, name })
    say(`${named.slug} is called ${named.name}`)
  },
})
