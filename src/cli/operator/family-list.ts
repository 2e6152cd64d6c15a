import Type from 'typebox'
import { defineCommand } from '../command.ts'

export const familyList = defineCommand({
  name: 'family list',
  summary: 'list every family with its projects',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    async work({ kernel }) {
      const { listFamilies } = await import('../../projects/projects.ts')
      return listFamilies(kernel)
    },
  },
  async run(_, { operate, say }) {
    const families = await operate({})
    for (const { family, projects } of families) say(`${family}: ${projects.join(', ')}`)
    if (families.length === 0) say('There is no family yet.')
  },
})
