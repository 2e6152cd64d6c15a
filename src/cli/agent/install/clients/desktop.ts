import { platform } from 'node:os'
import { join } from 'node:path'
import { homeOf } from '../../../machine.ts'
import { bridgeOf, type ClientKind, serverIn, type Where } from '../client.ts'

const SERVICE = 'claude-desktop'

function configOf(where: Where): string {
  const name = join('Claude', 'claude_desktop_config.json')
  const home = homeOf(where)
  if (platform() === 'darwin') return join(home, 'Library', 'Application Support', name)
  if (platform() === 'win32') return join(where.env['APPDATA'] ?? home, name)
  return join(home, '.config', name)
}

/** The desktop app: it has no hooks, and is changed only when it is asked for. */
export const desktop: ClientKind = {
  name: 'claude-desktop',
  alias: 'desktop',
  service: SERVICE,
  sheets: (way, where, { elsewhere }) => [
    {
      path: elsewhere.servers ?? configOf(where),
      format: 'json',
      parts: [serverIn(way, 'mcpServers', bridgeOf(way, SERVICE))],
    },
  ],
  grant: 'the question of the app at the first use of a tool, answered with "Always allow"',
}
