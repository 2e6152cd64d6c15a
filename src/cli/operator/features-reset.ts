import Type from 'typebox'
import { defineCommand } from '../command.ts'
import { featureLines, featureState } from './features/lines.ts'

export const featuresReset = defineCommand({
  name: 'features reset',
  summary: 'forget every switch: the configuration decides again',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    async work(house) {
      const { resetFeatures } = await import('../../features/features.ts')
      await resetFeatures(house.kernel, 'operator')
      return featureState(house)
    },
  },
  async run(_, { operate, say }) {
    for (const line of featureLines(await operate({}))) say(line)
  },
})
