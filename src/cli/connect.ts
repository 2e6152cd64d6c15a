import { loadClient } from '../config/client.ts'
import { invalid } from '../kernel/refusal.ts'
import { bridgeCommand, httpServer } from './install/clients.ts'
import { findWay, type Way } from './install/way.ts'

/** What goes where, by client. No snippet holds the key. */
const SNIPPETS: Record<string, (way: Way) => { where: string; text: string }> = {
  'claude-code': (way) => ({
    where: 'run this once, for all your projects:',
    text: `claude mcp add-json --scope user loam '${JSON.stringify(httpServer(way)).replaceAll("'", `'\\''`)}'`,
  }),
  codex: (way) => {
    const { command, args } = bridgeCommand(way)
    return {
      where: 'into ~/.codex/config.toml:',
      text: `[mcp_servers.loam]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
    }
  },
  cursor: (way) => ({
    where: 'into ~/.cursor/mcp.json, or .cursor/mcp.json of one project:',
    text: json({ mcpServers: { loam: bridgeCommand(way) } }),
  }),
  vscode: (way) => ({
    where: 'into .vscode/mcp.json, or the user’s own by "MCP: Open User Configuration":',
    text: json({ servers: { loam: { type: 'stdio', ...bridgeCommand(way) } } }),
  }),
  opencode: (way) => {
    const { command, args } = bridgeCommand(way)
    const loam = { type: 'local', command: [command, ...args], enabled: true }
    return {
      where: 'into ~/.config/opencode/opencode.json, or opencode.json of one project:',
      text: json({ $schema: 'https://opencode.ai/config.json', mcp: { loam } }),
    }
  },
}

export const connectable = Object.keys(SNIPPETS)

/** Prints what a client's configuration needs to reach the service. */
export async function connect(client: string, options: { config?: string }): Promise<void> {
  const snippet = Object.hasOwn(SNIPPETS, client) ? SNIPPETS[client] : undefined
  if (!snippet) {
    throw invalid(`no snippet for "${client.slice(0, 100)}"; there are ${connectable.join(', ')}`)
  }
  const { where, text } = snippet(await findWay(options))
  console.log(`${where}\n\n${text}`)
}

/** Prints the header that lets a client in, for those that ask a program for it. */
export async function mcpHeaders({ config: file }: { config?: string }): Promise<void> {
  const client = await loadClient({ file })
  console.log(JSON.stringify({ Authorization: `Bearer ${await client.key()}` }))
}

const json = (value: object): string => JSON.stringify(value, null, 2)
