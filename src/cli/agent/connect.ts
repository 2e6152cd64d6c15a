import { invalid } from '../../kernel/refusal.ts'
import { defineCommand } from '../command.ts'

export const connect = defineCommand({
  name: 'connect',
  summary: 'print what a client needs to reach the service',
  for: 'agent',
  arguments: {
    '<client>': 'claude-code, codex, opencode, gemini, qwen, cursor, vscode, claude-desktop, other',
  },
  async run({ client }, call) {
    const [{ SNIPPETS }, { findWay }] = await Promise.all([
      import('./connect/snippets.ts'),
      import('./install/way.ts'),
    ])
    const snippet = Object.hasOwn(SNIPPETS, client) ? SNIPPETS[client] : undefined
    if (!snippet) {
      const known = Object.keys(SNIPPETS).join(', ')
      throw invalid(`no snippet for "${client.slice(0, 100)}"; there are ${known}`)
    }
    const { where, text } = snippet(await findWay(call, { config: call.config }))
    await call.client()
    call.say(`${where}\n\n${text}`)
  },
})
