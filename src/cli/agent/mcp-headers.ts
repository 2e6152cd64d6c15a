import { identityHeaders } from '../client/identity-headers.ts'
import { defineCommand } from '../command.ts'

export const mcpHeaders = defineCommand({
  name: 'mcp-headers',
  summary: 'print the headers that let a client in and say whose requests they are, as JSON',
  for: 'agent',
  protocol: true,
  options: {
    '--client <name>': { text: 'the client that asks for them', default: 'claude-code' },
  },
  /** Clients run it in a folder of their settings, so only their process tells the project. */
  async run({ client: name }, { client: find, env, say }) {
    const client = await find()
    const authorization = { Authorization: `Bearer ${await client.key()}` }
    say(JSON.stringify({ ...authorization, ...(await identityHeaders({ client: name, env })) }))
  },
})
