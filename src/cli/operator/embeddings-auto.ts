import Type from 'typebox'
import { defineCommand } from '../command.ts'
import { statusLines } from './embeddings/status-lines.ts'

export const embeddingsAuto = defineCommand({
  name: 'embeddings auto',
  summary: 'use the configured provider, from the next start on',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    async work({ kernel }) {
      const { embeddingStatus, switchEmbeddings } = await import('../../embeddings/embeddings.ts')
      await switchEmbeddings(kernel, 'auto')
      return embeddingStatus(kernel)
    },
  },
  async run(_, { operate, say }) {
    for (const line of statusLines(await operate({}))) say(line)
  },
})
