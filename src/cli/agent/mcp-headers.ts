import { defineCommand } from '../command.ts'

export const mcpHeaders = defineCommand({
  name: 'mcp-headers',
  summary: 'print the header that lets a client in, as JSON',
  for: 'agent',
  async run(_, { client: find, say }) {
    const client = await find()
    say(JSON.stringify({ Authorization: `Bearer ${await client.key()}` }))
  },
})
