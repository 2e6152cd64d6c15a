/** The options by which an unusual installation says where a client's files lie. */
import { access } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import type { Machine } from '../../machine.ts'
import type { ClientKind, Wish } from './client.ts'
import type { Receipts } from './edit/receipts.ts'

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

/**
 * Returns the files and the folders of skills that hold something of ours beside these: a client may have more
 * than one place, and a run knows only that which is named.
 */
export async function stillIn(receipts: Receipts, known: readonly string[]): Promise<string[]> {
  const isKnown = (path: string): boolean =>
    known.some((place) => path === place || path.startsWith(place + sep))
  const others = receipts.paths().filter((path) => !isKnown(path))
  const there = await Promise.allSettled(others.map((path) => access(path)))
  const left = others.filter((_, at) => there[at]!.status === 'fulfilled')
  return [...new Set(left.map((path) => path.replace(/([/\\]skills)[/\\].*$/, '$1')))].toSorted()
}
