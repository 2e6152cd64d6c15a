import Type from 'typebox'
import { name } from '../../kernel/schema/bounds.ts'
import { defineCommand } from '../command.ts'

export const projectUnretire = defineCommand({
  name: 'project unretire',
  summary: 'take a retired project into use again',
  for: 'operator',
  arguments: { '<project>': 'its slug' },
  operation: {
    input: Type.Object({ project: name() }),
    async work({ kernel }, { project }) {
      const { setRetired } = await import('../../projects/projects.ts')
      return setRetired(kernel, project, false)
    },
  },
  async run({ project }, { operate, say }) {
    const { slug, changed } = await operate({ project })
    say(changed ? `${slug} is in use now` : `${slug} was in use`)
  },
})
