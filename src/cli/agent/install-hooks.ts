import { defineCommand } from '../command.ts'
import { PLACES } from './install/places.ts'

export const installHooks = defineCommand({
  name: 'install-hooks',
  summary: 'put hooks, tools and skills into the clients of this machine',
  for: 'agent',
  options: {
    '--client <names>': {
      text: 'claude, codex, opencode, gemini, qwen, cursor, vscode, claude-desktop, all, detect',
      default: 'detect',
    },
    '--url <url>': 'where the service answers; kept for all client commands',
    '--allow-tools': 'let the clients use the tools without a question each time',
    '--no-skills': 'install no skills',
    ...PLACES,
  },
  async run(options, call) {
    const { install } = await import('./install/install.ts')
    await install(options, call)
    // It may have been changed by --url.
    await call.client()
  },
})
