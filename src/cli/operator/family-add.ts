import Type from 'typebox'
import { list, name } from '../../kernel/schema/bounds.ts'
import { defineCommand } from '../command.ts'

export const familyAdd = defineCommand({
  name: 'family add',
  summary: 'add projects to a family, which is made when it is new',
  for: 'operator',
  arguments: { '<family>': '', '<project...>': '' },
  operation: {
    input: Type.Object({ family: name(), projects: list(name()) }),
    async work({ kernel }, family) {
      const { addToFamily } = await import('../../projects/projects.ts')
      return addToFamily(kernel, 'operator', family)
    },
  },
  async run({ family, project: projects }, { operate, say, complain }) {
    const added = await operate({ family, projects })
    say(`${projects.join(', ')}: of the family ${added.family}`)
    if (added.unregistered.length > 0)
      complain(`loam: nobody has registered ${added.unregistered.join(', ')} yet`)
  },
})
