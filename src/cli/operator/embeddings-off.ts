import Type from 'typebox'
import { defineCommand } from '../command.ts'
import { statusLines } from './embeddings/status-lines.ts'

export const embeddingsOff = defineCommand({
  name: 'embeddings off',
  summary: 'use no provider, from the next start on; recall then searches by words',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    async work({ kernel }) {
      const { embeddingStatus, switchEmbeddings } = await import('../../embeddings/embeddings.ts')
      await switchEmbeddings(kernel, 'off')
      return embeddingStatus(kernel)
    },
  },
  async run(_, { operate, say }) {
    for (const line of statusLines(await operate({}))) say(line)
  },
})
