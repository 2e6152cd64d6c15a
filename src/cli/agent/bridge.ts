import { defineCommand } from '../command.ts'
import { homeOf } from '../machine.ts'

export const bridge = defineCommand({
  name: 'bridge',
  summary: 'speak MCP on standard input and output, for clients that start a program',
  for: 'agent',
  protocol: true,
  options: { '--client <name>': 'the client that starts it: codex, gemini, cursor, …' },
  /** Nothing but frames is ever printed on standard output. */
  async run({ client: name }, { client: find, cwd, env, stdin, stdout }) {
    const { runBridge } = await import('../client/bridge/program.ts')
    const home = homeOf({ env })
    await runBridge({ client: await find(), name, cwd, env, home, stdin, stdout })
  },
})
