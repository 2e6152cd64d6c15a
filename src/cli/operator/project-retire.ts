import Type from 'typebox'
import { name } from '../../kernel/schema/bounds.ts'
import { defineCommand } from '../command.ts'

export const projectRetire = defineCommand({
  name: 'project retire',
  summary: 'take a project out of use; all it knows stays',
  for: 'operator',
  arguments: { '<project>': 'its slug' },
  operation: {
    input: Type.Object({ project: name() }),
    async work({ kernel }, { project }) {
      const { setRetired } = await import('../../projects/projects.ts')
      return setRetired(kernel, project, true)
    },
  },
  async run({ project }, { operate, say }) {
    const { slug, changed } = await operate({ project })
    say(changed ? `${slug} is retired now` : `${slug} was retired`)
  },
})
