import { fileURLToPath } from 'node:url'
import type { Config, Settings } from '../config.ts'
import { keyFile } from '../config/key.ts'
import { readBuild } from '../kernel/build.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/loam.mjs', import.meta.url))

/** What the owner reads when the service has started. It holds no key. */
export function welcome(settings: Settings, url: string, kind: string): string {
  const { config, file } = settings
  const loam = `node ${quoted(PROGRAM)}`
  const from = file ? ` --config ${quoted(file)}` : ''
  const database = kind === 'embedded' ? 'embedded database' : 'PostgreSQL server'
  const bridge = { command: 'node', args: [PROGRAM, 'bridge', ...(file ? ['--config', file] : [])] }
  return `Loam ${readBuild().version} listens on ${url}

  tools  ${url}/api/mcp
  data   ${config.data_dir} (${database})
  key    ${settings.keyFrom ?? keyFile(config)}

To connect an agent that speaks HTTP, put the key in its environment and the rest in its
configuration (.mcp.json, for one):

  export LOAM_MCP_API_KEY="$(${loam} key --show${from})"

  ${JSON.stringify({
    mcpServers: {
      loam: {
        type: 'http',
        url: `${url}/api/mcp`,
        headers: { Authorization: 'Bearer ${LOAM_MCP_API_KEY}' },
      },
    },
  })}

To connect one that starts a program, which finds the key by itself:

  ${JSON.stringify({ mcpServers: { loam: bridge } })}
`
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
