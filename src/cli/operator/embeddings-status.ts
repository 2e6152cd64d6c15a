import Type from 'typebox'
import { defineCommand } from '../command.ts'
import { statusLines } from './embeddings/status-lines.ts'

export const embeddingsStatus = defineCommand({
  name: 'embeddings status',
  summary: 'say how embeddings are, and why they are off when they are (the default)',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    async work({ kernel }) {
      const { changeOf, checkedStatus, embeddingStatus, learnedStatus } =
        await import('../../embeddings/embeddings.ts')
      return {
        ...(await embeddingStatus(kernel)),
        ...{ learned: await learnedStatus(kernel), checked: await checkedStatus(kernel) },
        change: await changeOf(kernel),
      }
    },
  },
  async run(_, { operate, say }) {
    for (const line of statusLines(await operate({}))) say(line)
  },
})
