import { platform } from 'node:os'
import { join } from 'node:path'
import { homeOf } from '../../../machine.ts'
import { bridgeOf, type ClientKind, handlersIn, serverIn, type Where } from '../client.ts'
import { forPowerShell, forShell } from '../lines.ts'

const SERVICE = 'vscode'

/** The folder of the user's own configuration. */
export function folder(where: Where): string {
  const home = homeOf(where)
  if (platform() === 'darwin') return join(home, 'Library', 'Application Support', 'Code', 'User')
  if (platform() === 'win32') return join(where.env['APPDATA'] ?? home, 'Code', 'User')
  return join(where.env['XDG_CONFIG_HOME'] || join(home, '.config'), 'Code', 'User')
}

const HOOKS = {
  SessionStart: { hook: 'session-start', seconds: 10 },
  UserPromptSubmit: { hook: 'user-prompt-submit', seconds: 5 },
  Stop: { hook: 'stop', seconds: 10 },
  SubagentStart: { hook: 'subagent-start', seconds: 10 },
  SubagentStop: { hook: 'subagent-stop', seconds: 10 },
}

/** VS Code: servers in the user's folder, hooks in a file of ours in the folder that it reads them from. */
export const vscode: ClientKind = {
  name: 'vscode',
  alias: 'vs',
  service: SERVICE,
  folders: (where) => [folder(where)],
  sheets: (way, where) => [
    {
      path: join(homeOf(where), '.copilot', 'hooks', 'loam.json'),
      format: 'json',
      parts: [
        { kind: 'seed', key: 'version', value: 1 },
        handlersIn(
          way,
          HOOKS,
          (words, { seconds }) => ({
            type: 'command',
            command: forShell(words),
            windows: forPowerShell(words),
            timeout: seconds,
          }),
          SERVICE,
        ),
      ],
    },
    {
      path: join(folder(where), 'mcp.json'),
      format: 'json',
      parts: [serverIn(way, 'servers', { type: 'stdio', ...bridgeOf(way, SERVICE) })],
    },
  ],
  hints: [
    'VS Code runs the hooks of Claude Code as well; to have these alone, set ' +
      '"chat.hookFilesLocations": { "~/.claude/settings.json": false }',
  ],
  grant: 'the question of VS Code at the first use of a tool, answered with "Always Allow"',
}
