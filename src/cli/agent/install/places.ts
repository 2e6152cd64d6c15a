/** The options by which an unusual installation says where a client's files lie. */
import type { ClientKind, Wish } from './client.ts'

export const PLACES = {
  '--settings <file>': "Claude Code's settings, when they lie elsewhere",
  '--codex-hooks <file>': "Codex's hooks, when they lie elsewhere",
  '--desktop-config <file>': "the desktop app's configuration, when it lies elsewhere",
  '--no-mcp': 'leave the MCP servers of the clients alone',
} as const

export interface Places {
  settings: string | undefined
  codexHooks: string | undefined
  desktopConfig: string | undefined
}

/** Where the files of one client lie, as far as somebody said so. */
export const elsewhereOf = ({ name }: ClientKind, asked: Places): Wish['elsewhere'] => ({
  ...(name === 'claude' && asked.settings && { settings: asked.settings }),
  ...(name === 'codex' && asked.codexHooks && { hooks: asked.codexHooks }),
  ...(name === 'claude-desktop' && asked.desktopConfig && { servers: asked.desktopConfig }),
})
