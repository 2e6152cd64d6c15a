import { join } from 'node:path'
import { homeOf } from '../../../machine.ts'
import { bridgeOf, type ClientKind, entriesIn, serverIn, type Where } from '../client.ts'
import { forPowerShell, forShell } from '../lines.ts'

const SERVICE = 'codex'

const folder = (where: Where): string => where.env['CODEX_HOME'] || join(homeOf(where), '.codex')

/** Codex clamps the end of a session to three seconds. */
const HOOKS = {
  SessionStart: { hook: 'session-start', seconds: 10 },
  UserPromptSubmit: { hook: 'user-prompt-submit', seconds: 5 },
  Stop: { hook: 'stop', seconds: 10 },
  SessionEnd: { hook: 'session-end', seconds: 3 },
  SubagentStart: { hook: 'subagent-start', seconds: 10 },
  SubagentStop: { hook: 'subagent-stop', seconds: 10 },
}

/** Codex: hooks in a file of their own, the bridge in its configuration. */
export const codex: ClientKind = {
  name: 'codex',
  alias: 'cx',
  service: SERVICE,
  program: 'codex',
  folders: (where) => [folder(where)],
  sheets: (way, where, { elsewhere, allow }) => [
    {
      path: elsewhere.hooks ?? join(folder(where), 'hooks.json'),
      format: 'json',
      parts: [
        entriesIn(
          way,
          HOOKS,
          (words, { seconds }) => ({
            type: 'command',
            command: forShell(words),
            command_windows: forPowerShell(words),
            timeout: seconds,
          }),
          { service: SERVICE, marked: true },
        ),
      ],
    },
    {
      path: join(folder(where), 'config.toml'),
      format: 'toml',
      parts: [
        serverIn(way, 'mcp_servers', {
          ...bridgeOf(way, SERVICE),
          ...(allow && { default_tools_approval_mode: 'approve' }),
        }),
      ],
    },
  ],
  skills: (where) => join(folder(where), 'skills'),
  hints: ['Codex runs a hook only after you have trusted it: open /hooks in Codex once'],
  grant: 'default_tools_approval_mode = "approve" below [mcp_servers.loam] in config.toml',
}
