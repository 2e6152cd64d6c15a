import Type from 'typebox'
import { list, name } from '../../kernel/schema/bounds.ts'
import { defineCommand } from '../command.ts'

export const familyRemove = defineCommand({
  name: 'family remove',
  alias: 'rm',
  summary: 'take projects out of a family; without any the family ends',
  for: 'operator',
  arguments: { '<family>': '', '[project...]': '' },
  operation: {
    input: Type.Object({
      family: name(),
      projects: list(name(), { default: [] }),
    }),
    async work({ kernel }, family) {
      const { removeFromFamily } = await import('../../projects/projects.ts')
      return removeFromFamily(kernel, 'operator', family)
    },
  },
  async run({ family, project: projects }, { operate, say }) {
    const { removed } = await operate({ family, projects })
    const count = `${removed} ${removed === 1 ? 'project' : 'projects'}`
    const end = projects.length === 0 ? ', which has ended' : ''
    say(`${count} taken out of the family ${family}${end}`)
  },
})
