import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { homeOf } from '../../../machine.ts'
import { bridgeOf, type ClientKind, serverIn, type Where } from '../client.ts'
import type { Member } from '../edit/parts.ts'
import { commandOf } from '../way.ts'
import { MARK_LINE, pluginText } from './opencode-plugin.ts'

const SERVICE = 'opencode'

const folder = (where: Where): string =>
  join(where.env['XDG_CONFIG_HOME'] || join(homeOf(where), '.config'), 'opencode')

/** It reads both; what is there is written to. */
function configsOf(where: Where, taking: boolean): string[] {
  const [plain, withComments] = ['opencode.json', 'opencode.jsonc'].map((name) =>
    join(folder(where), name),
  ) as [string, string]
  if (taking) return [plain, withComments]
  return [!existsSync(plain) && existsSync(withComments) ? withComments : plain]
}

/** opencode: a plugin in its folder, and the bridge in its configuration. */
export const opencode: ClientKind = {
  name: 'opencode',
  alias: 'oc',
  service: SERVICE,
  program: 'opencode',
  folders: (where) => [folder(where)],
  sheets(way, where, { taking = false }) {
    const { command, args } = bridgeOf(way, SERVICE)
    const server = { type: 'local', command: [command, ...args] }
    return [
      {
        path: join(folder(where), 'plugins', 'loam.js'),
        format: 'text',
        parts: [],
        text: {
          content: pluginText(commandOf(way, ['hook', 'EVENT'], SERVICE)),
          mark: MARK_LINE,
        },
      },
      ...configsOf(where, taking).map((path) => ({
        path,
        format: 'json' as const,
        parts: [serverIn(way, 'mcp', server), allowed],
      })),
    ]
  },
  grant: 'permission: { "loam_*": "allow" } in its configuration',
}

const allowed: Member = {
  kind: 'member',
  about: 'permission',
  in: ['permission'],
  key: 'loam_*',
  value: 'allow',
  ours: (rule) => rule === 'allow',
}
