/** Where each client's settings lie, and the options by which an unusual installation says so. */
import { join } from 'node:path'
import type { Machine } from '../../machine.ts'
import * as clients from './clients.ts'

export const PLACES = {
  '--settings <file>': "Claude Code's settings, when they lie elsewhere",
  '--codex-hooks <file>': "Codex's hooks, when they lie elsewhere",
  '--desktop-config <file>': "the desktop app's configuration, when it lies elsewhere",
  '--no-mcp': 'leave the MCP servers of the clients alone',
} as const

export interface Places {
  settings: string
  codexHooks: string
  desktopConfig: string
}

export const placesOf = (
  asked: { [Place in keyof Places]: string | undefined },
  machine: Pick<Machine, 'env'>,
): Places => ({
  settings: asked.settings ?? clients.claudeSettings(machine),
  codexHooks: asked.codexHooks ?? clients.codexHooksFile(machine),
  desktopConfig: asked.desktopConfig ?? clients.desktopConfig(machine),
})

/** The folder in which a client keeps its skills. */
export const skillsOf = (name: 'claude' | 'codex', machine: Pick<Machine, 'env'>): string =>
  name === 'claude'
    ? join(clients.claudeSettings(machine), '..', 'skills')
    : join(clients.codexHome(machine), 'skills')
