import { defineCommand } from '../command.ts'
import { PLACES } from './install/places.ts'

export const uninstall = defineCommand({
  name: 'uninstall',
  summary: 'take hooks, tools and skills out of the clients again; data stays',
  for: 'agent',
  config: false,
  options: {
    '--client <names>': {
      text: 'claude, codex, opencode, gemini, qwen, cursor, vscode, claude-desktop, all',
      default: 'all',
    },
    '--dry-run': 'say what would be removed, and remove nothing',
    ...PLACES,
  },
  async run(options, call) {
    const { uninstall } = await import('./install/uninstall.ts')
    await uninstall(options, call)
  },
})
