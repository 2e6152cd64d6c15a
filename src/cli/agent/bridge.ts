import { defineCommand } from '../command.ts'

export const bridge = defineCommand({
  name: 'bridge',
  summary: 'speak MCP on standard input and output, for clients that start a program',
  for: 'agent',
  protocol: true,
  /** Nothing but frames is ever printed on standard output. */
  async run(_, { client: find, stdin, say }) {
    const { bridge } = await import('../client/bridge.ts')
    const client = await find()
    await client.key()
    await bridge({ client, input: stdin, output: say })
  },
})
