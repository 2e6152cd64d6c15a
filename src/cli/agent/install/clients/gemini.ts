import { join } from 'node:path'
import { homeOf } from '../../../machine.ts'
import { bridgeOf, type ClientKind, entriesIn, serverIn, type Where } from '../client.ts'
import { forThisShell } from '../lines.ts'

const SERVICE = 'gemini'

const folder = (where: Where): string =>
  join(where.env['GEMINI_CLI_HOME'] || homeOf(where), '.gemini')

/** Its own names: an agent's turn begins with a prompt and ends with an answer. */
const HOOKS = {
  SessionStart: { hook: 'session-start', seconds: 10 },
  BeforeAgent: { hook: 'user-prompt-submit', seconds: 5 },
  AfterAgent: { hook: 'stop', seconds: 10 },
  SessionEnd: { hook: 'session-end', seconds: 10 },
}

/** Gemini CLI: everything is in its settings, and times are milliseconds. */
export const gemini: ClientKind = {
  name: 'gemini',
  alias: 'ge',
  service: SERVICE,
  program: 'gemini',
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
            timeout: seconds * 1000,
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
