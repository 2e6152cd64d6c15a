import { fileURLToPath } from 'node:url'
import type { Config, Settings } from '../../../config.ts'
import { clientFile } from '../../../config/client.ts'
import { keyFile } from '../../../config/key-file.ts'
import { readBuild } from '../../../kernel/build.ts'

const PROGRAM = fileURLToPath(new URL('../../../../bin/loam.mjs', import.meta.url))

interface Started {
  url: string
  database: string
  /** The file by which clients find the service. */
  client: string
  home: string
}

/**
 * What the owner reads when the service has started. It holds no key. Agents run in other folders
 * than this one, so every path is whole.
 */
export function welcome(settings: Settings, started: Started): string {
  const { url } = started
  const { config, keyFrom } = settings
  const database = started.database === 'embedded' ? 'embedded database' : 'PostgreSQL server'
  const http = {
    type: 'http',
    url: `${url}/api/mcp`,
    headers: { Authorization: 'Bearer ${LOAM_MCP_API_KEY}' },
  }
  const file = fileFor(settings, started)
  const bridge = { command: 'node', args: [PROGRAM, 'bridge', ...file] }
  const typed = (word: string) => ['node', PROGRAM, word, ...file].map(quoted).join(' ')
  return `Loam ${readBuild().version} listens on ${url}

  console  ${url}/console/
  tools    ${url}/api/mcp
  data     ${config.data_dir} (${database})
  key      ${keyFrom ?? keyFile(config)}

To open the console, signed in:

  ${typed('console')}

To connect the agents of this machine (Claude Code, Codex, opencode, Gemini CLI, Qwen Code, Cursor,
VS Code), with the hooks that brief their sessions:

  ${typed('install-hooks')}

To connect any agent that speaks HTTP, put the key in its environment and the rest in its
configuration (.mcp.json, for one):

  export LOAM_MCP_API_KEY="$(${keyCommand(settings)})"

  ${JSON.stringify({ mcpServers: { loam: http } })}

To connect one that starts a program, which finds the service and the key by itself:

  ${JSON.stringify({ mcpServers: { loam: bridge } })}
`
}

/** What names the service to a client, when the usual file does not. */
function fileFor({ keyFrom, file }: Settings, { client, home }: Started): string[] {
  if (keyFrom && file) return ['--config', file]
  return client === clientFile(home) ? [] : ['--config', client]
}

function keyCommand({ config, keyFrom, file }: Settings): string {
  if (!keyFrom) return `cat ${quoted(keyFile(config))}`
  return `node ${quoted(PROGRAM)} key --show${file ? ` --config ${quoted(file)}` : ''}`
}

/** What the owner should know and may have overlooked. */
export function* warnings(config: Config, local: boolean): Generator<string> {
  if (config.mcp.api_key === '') yield 'mcp.api_key is empty, so every request is refused'
  if (!local) {
    yield (
      `${config.addr} can be reached from other machines, and the key is all that guards it: ` +
      'put TLS in front, and let through only what must reach it'
    )
  }
}

const quoted = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`
