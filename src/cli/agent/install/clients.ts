/** The clients that hooks are installed for: where their settings lie, and what belongs into them. */
import { platform } from 'node:os'
import { join } from 'node:path'
import type { Entry, Handler } from './entries.ts'
import { homeOf, type Machine } from '../../machine.ts'
import type { Way } from './way.ts'

const STARTS = 'startup|resume|clear|compact'

type Where = Pick<Machine, 'env'>

export const claudeSettings = (machine: Where): string =>
  join(homeOf(machine), '.claude', 'settings.json')

export const codexHome = (machine: Where): string =>
  machine.env['CODEX_HOME'] || join(homeOf(machine), '.codex')

export const codexHooksFile = (machine: Where): string => join(codexHome(machine), 'hooks.json')

export function desktopConfig(machine: Where): string {
  const name = join('Claude', 'claude_desktop_config.json')
  const home = homeOf(machine)
  if (platform() === 'darwin') return join(home, 'Library', 'Application Support', name)
  if (platform() === 'win32') return join(machine.env['APPDATA'] ?? home, name)
  return join(home, '.config', name)
}

/**
 * Claude Code. A prompt goes straight over HTTP, the fastest way; a start ignores HTTP handlers, an
 * end races the process's own, and the rest is looked at on this machine first.
 */
export function claudeHooks(way: Way): Record<string, Entry> {
  const run = (event: string, matcher?: string): Entry => ({
    ...(matcher && { matcher }),
    hooks: [
      {
        type: 'command',
        command: way.program,
        args: ['hook', event, '--config', way.config],
        timeout: 10,
      },
    ],
  })
  const prompt: Handler = {
    type: 'http',
    url: `${way.url}/api/hooks/user-prompt-submit`,
    timeout: 5,
    headers: { Authorization: `Bearer ${way.key}` },
  }
  return {
    SessionStart: run('session-start', STARTS),
    UserPromptSubmit: { hooks: [prompt] },
    SessionEnd: run('session-end'),
    PostToolUse: run('post-tool-use', 'Write|Edit|MultiEdit|ExitPlanMode'),
    SubagentStart: run('subagent-start'),
    SubagentStop: run('subagent-stop'),
    PermissionRequest: run('permission-request', 'ExitPlanMode'),
  }
}

/** Codex takes one line for a shell, and another one for Windows. */
export function codexHooks(way: Way): Record<string, Entry> {
  const run = (event: string, timeout: number, matcher?: string): Entry => {
    const args = ['hook', event, '--config', way.config, '--client', 'codex']
    const handler = {
      type: 'command',
      command: [way.program, ...args].map(forShell).join(' '),
      command_windows: [way.program, ...args].map(forPowerShell).join(' '),
      timeout,
    }
    return { ...(matcher && { matcher }), hooks: [handler] }
  }
  return {
    SessionStart: run('session-start', 10, STARTS),
    UserPromptSubmit: run('user-prompt-submit', 5),
    Stop: run('stop', 10),
    SubagentStart: run('subagent-start', 10),
    SubagentStop: run('subagent-stop', 10),
  }
}

const forShell = (word: string): string =>
  /^[a-z][a-z-]*$|^--[a-z]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** A quoted path at the beginning would be a text and not a command. */
function forPowerShell(word: string, index: number): string {
  if (/^[\w:\\/.-]+$/.test(word)) return word
  const quoted = `"${word.replaceAll(/[`"$]/g, '`$&')}"`
  return index === 0 ? `& ${quoted}` : quoted
}

/** How a client that starts a program speaks to us. */
export const bridgeCommand = (way: Way): { command: string; args: string[] } => ({
  command: way.program,
  args: ['bridge', '--config', way.config],
})

/** How a client speaks to us over HTTP: the key comes from a helper and is in no file. */
export const httpServer = (way: Way): object => ({
  type: 'http',
  url: `${way.url}/api/mcp`,
  headersHelper: [way.program, 'mcp-headers', '--config', way.config].map(forShell).join(' '),
})
