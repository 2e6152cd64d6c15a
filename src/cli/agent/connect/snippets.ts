/** What a client's configuration needs to reach the service, by client. No snippet holds the key. */
import { bridgeCommand, httpServer } from '../install/clients.ts'
import type { Way } from '../install/way.ts'

interface Snippet {
  where: string
  text: string
}

export const SNIPPETS: Record<string, (way: Way) => Snippet> = {
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

const json = (value: object): string => JSON.stringify(value, null, 2)
