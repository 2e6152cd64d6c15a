import Type from 'typebox'
import { list, name } from '../../kernel/schema/bounds.ts'
import { defineCommand } from '../command.ts'
import { featureLines, featureState } from './features/lines.ts'

export const featuresOn = defineCommand({
  name: 'features on',
  summary: 'turn features on, at once and in every process; data is kept',
  for: 'operator',
  arguments: { '<feature...>': 'research, momentum, gamification' },
  operation: {
    input: Type.Object({ names: list(name()) }),
    async work(house, { names }) {
      const { switchFeatures } = await import('../../features/features.ts')
      const switches = Object.fromEntries(names.map((name) => [name, true]))
      await switchFeatures(house.kernel, 'operator', switches)
      return featureState(house)
    },
  },
  async run({ feature: names }, { operate, say }) {
    for (const line of featureLines(await operate({ names }))) say(line)
  },
})
