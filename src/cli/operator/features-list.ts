import Type from 'typebox'
import { defineCommand } from '../command.ts'
import { featureLines, featureState } from './features/lines.ts'

export const featuresList = defineCommand({
  name: 'features list',
  summary: 'say which are on (the default)',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    work: featureState,
  },
  async run(_, { operate, say }) {
    for (const line of featureLines(await operate({}))) say(line)
  },
})
