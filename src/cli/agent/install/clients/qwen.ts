import { join } from 'node:path'
import { homeOf } from '../../../machine.ts'
import { bridgeOf, type ClientKind, entriesIn, serverIn, type Where } from '../client.ts'
import { forThisShell } from '../lines.ts'

const SERVICE = 'qwen'

const folder = (where: Where): string => where.env['QWEN_HOME'] || join(homeOf(where), '.qwen')

const HOOKS = {
  SessionStart: { hook: 'session-start', seconds: 10 },
  UserPromptSubmit: { hook: 'user-prompt-submit', seconds: 5 },
  Stop: { hook: 'stop', seconds: 10 },
  SessionEnd: { hook: 'session-end', seconds: 10 },
  SubagentStart: { hook: 'subagent-start', seconds: 10 },
  SubagentStop: { hook: 'subagent-stop', seconds: 10 },
}

/** Qwen Code: hooks and servers in its settings, in the names and units of Claude Code. */
export const qwen: ClientKind = {
  name: 'qwen',
  alias: 'qw',
  service: SERVICE,
  program: 'qwen',
  folders: (where) => [folder(where)],
  sheets: (way, where, { allow }) => [
    {
      path: join(folder(where), 'settings.json'),
      format: 'json',
      parts: [
        entriesIn(
          way,
          HOOKS,
          (words, { hook, seconds }) => ({
            type: 'command',
            name: `loam-${hook}`,
            command: forThisShell(words),
            timeout: seconds,
          }),
          { service: SERVICE, marked: false },
        ),
        serverIn(way, 'mcpServers', {
          ...bridgeOf(way, SERVICE),
          ...(allow && { trust: true }),
        }),
      ],
    },
  ],
  grant: '"trust": true for mcpServers.loam in its settings',
}
