import { join } from 'node:path'
import { homeOf } from '../../../machine.ts'
import { bridgeOf, type ClientKind, handlersIn, serverIn, type Where } from '../client.ts'
import type { Lists } from '../edit/parts.ts'
import { forThisShell } from '../lines.ts'

const SERVICE = 'cursor'

const folder = (where: Where): string => join(homeOf(where), '.cursor')

const HOOKS = {
  sessionStart: { hook: 'session-start', seconds: 10 },
  beforeSubmitPrompt: { hook: 'user-prompt-submit', seconds: 5 },
  stop: { hook: 'stop', seconds: 10 },
  sessionEnd: { hook: 'session-end', seconds: 10 },
  subagentStop: { hook: 'subagent-stop', seconds: 10 },
}

/** Cursor: servers and hooks in files of their own. Its command line asks a list of its own. */
export const cursor: ClientKind = {
  name: 'cursor',
  alias: 'cu',
  service: SERVICE,
  folders: (where) => [folder(where)],
  sheets: (way, where) => [
    {
      path: join(folder(where), 'hooks.json'),
      format: 'json',
      parts: [
        { kind: 'seed', key: 'version', value: 1 },
        handlersIn(
          way,
          HOOKS,
          (words, { seconds }) => ({ command: forThisShell(words), timeout: seconds }),
          SERVICE,
        ),
      ],
    },
    {
      path: join(folder(where), 'mcp.json'),
      format: 'json',
      parts: [serverIn(way, 'mcpServers', bridgeOf(way, SERVICE))],
    },
    { path: join(folder(where), 'cli-config.json'), format: 'json', parts: [allowed] },
  ],
  grant:
    'permissions.allow: ["Mcp(loam:*)"] in cli-config.json, and in the editor by its own question',
}

const allowed: Lists = {
  kind: 'lists',
  about: 'permission',
  in: ['permissions'],
  wanted: { allow: ['Mcp(loam:*)'] },
  ours: (rule) => rule === 'Mcp(loam:*)',
  only: true,
  words: true,
}
