import { printHeaders } from '../client/identity-headers.ts'
import { defineCommand } from '../command.ts'

export const mcpHeaders = defineCommand({
  name: 'mcp-headers',
  summary: 'print the headers that let a client in and say whose requests they are, as JSON',
  for: 'agent',
  protocol: true,
  options: {
    '--client <name>': { text: 'the client that asks for them', default: 'claude-code' },
  },
  run: ({ client }, call) => printHeaders(client, call),
})
