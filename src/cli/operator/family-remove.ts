import Type from 'typebox'
import { list, name } from '../../kernel/schema/bounds.ts'
import { defineCommand } from '../command.ts'

export const familyRemove = defineCommand({
  name: 'family remove',
  alias: 'rm',
  summary: 'take projects out of a family; without any, or without one left, it ends',
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
    const { removed, ended, back } = await operate({ family, projects })
    const count = `${removed} ${removed === 1 ? 'project' : 'projects'}`
    const end = back ? '; the one of the configuration file counts again' : ', which has ended'
    say(`${count} taken out of the family ${family}${ended ? end : ''}`)
  },
})
