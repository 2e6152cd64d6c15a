import Type from 'typebox'
import { defineCommand } from '../command.ts'
import { statusLines } from './embeddings/status-lines.ts'

export const embeddingsReembed = defineCommand({
  name: 'embeddings reembed',
  summary: 'have all vectors made again in the background; the old ones serve meanwhile',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    async work({ kernel }) {
      const { embeddingStatus, reembed } = await import('../../embeddings/embeddings.ts')
      await reembed(kernel)
      return embeddingStatus(kernel)
    },
  },
  async run(_, { operate, say }) {
    for (const line of statusLines(await operate({}))) say(line)
  },
})
