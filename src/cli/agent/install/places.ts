/** The options by which an unusual installation says where a client's files lie. */
import { resolve } from 'node:path'
import type { Machine } from '../../machine.ts'
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
export function elsewhereOf(
  { name }: ClientKind,
  asked: Places,
  { cwd }: Pick<Machine, 'cwd'>,
): Wish['elsewhere'] {
  const { settings, codexHooks: hooks, desktopConfig: servers } = asked
  if (name === 'claude' && settings) return { settings: resolve(cwd, settings) }
  if (name === 'codex' && hooks) return { hooks: resolve(cwd, hooks) }
  return name === 'claude-desktop' && servers ? { servers: resolve(cwd, servers) } : {}
}
