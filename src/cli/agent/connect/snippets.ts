/** What a client's configuration needs to reach the service, by client. No snippet holds the key. */
import { bridgeOf } from '../install/client.ts'
import { serverOf } from '../install/clients/claude.ts'
import { forShell } from '../install/lines.ts'
import type { Way } from '../install/way.ts'

interface Snippet {
  where: string
  text: string
}

export const SNIPPETS: Record<string, (way: Way) => Snippet> = {
  'claude-code': (way) => ({
    where: 'run this once, for all your projects:',
    text: forShell([
      'claude',
      'mcp',
      'add-json',
      '--scope',
      'user',
      'loam',
      JSON.stringify(serverOf(way)),
    ]),
  }),
  codex: (way) => {
    const { command, args } = bridgeOf(way, 'codex')
    return {
      where: 'into ~/.codex/config.toml:',
      text: `[mcp_servers.loam]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
    }
  },
  gemini: (way) => ({
    where: 'into ~/.gemini/settings.json, or .gemini/settings.json of one project:',
    text: json({ mcpServers: { loam: bridgeOf(way, 'gemini') } }),
  }),
  qwen: (way) => ({
    where: 'into ~/.qwen/settings.json, or .qwen/settings.json of one project:',
    text: json({ mcpServers: { loam: bridgeOf(way, 'qwen') } }),
  }),
  cursor: (way) => ({
    where: 'into ~/.cursor/mcp.json, or .cursor/mcp.json of one project:',
    text: json({ mcpServers: { loam: bridgeOf(way, 'cursor') } }),
  }),
  vscode: (way) => ({
    where: 'into .vscode/mcp.json, or the user’s own by "MCP: Open User Configuration":',
    text: json({ servers: { loam: { type: 'stdio', ...bridgeOf(way, 'vscode') } } }),
  }),
  opencode: (way) => {
    const { command, args } = bridgeOf(way, 'opencode')
    const loam = { type: 'local', command: [command, ...args], enabled: true }
    return {
      where: 'into ~/.config/opencode/opencode.json, or opencode.json of one project:',
      text: json({ $schema: 'https://opencode.ai/config.json', mcp: { loam } }),
    }
  },
  'claude-desktop': (way) => ({
    where: 'into claude_desktop_config.json, by "Edit Config" of the app’s developer settings:',
    text: json({ mcpServers: { loam: bridgeOf(way, 'claude-desktop') } }),
  }),
  other: (way) => {
    const { command, args } = bridgeOf(way, 'other')
    return {
      where: 'for a client that starts a program, in whatever form it wants:',
      text: `command: ${command}\nargs:\n${args.map((arg) => `  ${arg}`).join('\n')}`,
    }
  },
}

const json = (value: object): string => JSON.stringify(value, null, 2)
