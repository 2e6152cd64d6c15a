import { defineCommand } from '../command.ts'
import { homeOf } from '../machine.ts'
import { HOOK_CLIENTS } from './hook/clients.ts'
import { runHook } from './hook/run.ts'

export const hook = defineCommand({
  name: 'hook',
  summary: "answer one hook of an agent's client: its payload on standard input",
  for: 'agent',
  protocol: true,
  arguments: { '<event>': 'session-start, user-prompt-submit, session-end, …' },
  options: {
    '--client <name>': { text: HOOK_CLIENTS.join(', '), default: 'claude-code' },
  },
  // To a client 2 means that a hook objects, and the agent stops: a hook of ours never does.
  unparsable: 1,
  async run({ event, client }, call) {
    const { env, stdin, say, complain } = call
    await runHook(event, client, {
      ...{ env, stdin, say, complain, home: homeOf(call) },
      client: () => call.client(),
    })
  },
})
