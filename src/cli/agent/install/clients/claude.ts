import { join, resolve } from 'node:path'
import { homeOf } from '../../../machine.ts'
import { type ClientKind, entriesIn, serverIn, type Where } from '../client.ts'
import type { Lists } from '../edit/parts.ts'
import { forShell } from '../lines.ts'
import { commandOf, type Way } from '../way.ts'

const SERVICE = 'claude-code'

const folder = (where: Where): string =>
  where.env['CLAUDE_CONFIG_DIR'] || join(homeOf(where), '.claude')

/** Claude Code rewrites this file itself, and often; it keeps what it does not know. */
const servers = (where: Where): string =>
  join(where.env['CLAUDE_CONFIG_DIR'] || homeOf(where), '.claude.json')

/** As its rules name them: two slashes begin a path from the root. */
const plans = (where: Where): string =>
  where.env['CLAUDE_CONFIG_DIR'] ? `/${resolve(folder(where))}/plans/*` : '~/.claude/plans/*'

const hooksFor = (where: Where) => ({
  SessionStart: { hook: 'session-start', seconds: 10 },
  UserPromptSubmit: { hook: 'user-prompt-submit', seconds: 5 },
  Stop: { hook: 'stop', seconds: 10 },
  SessionEnd: { hook: 'session-end', seconds: 10 },
  PostToolUse: [
    { hook: 'post-tool-use', seconds: 10, matcher: 'ExitPlanMode' },
    // An edit that is of no plan starts nothing.
    {
      hook: 'post-tool-use',
      seconds: 10,
      matcher: 'Write|Edit',
      rules: [`Write(${plans(where)})`, `Edit(${plans(where)})`],
    },
  ],
  SubagentStart: { hook: 'subagent-start', seconds: 10 },
  SubagentStop: { hook: 'subagent-stop', seconds: 10 },
  PermissionRequest: { hook: 'permission-request', seconds: 10, matcher: 'ExitPlanMode' },
})

/** Claude Code: hooks in its settings, the server among the user's own, the key from a helper. */
export const claude: ClientKind = {
  name: 'claude',
  alias: 'cc',
  service: SERVICE,
  program: 'claude',
  folders: (where) => [folder(where)],
  sheets: (way, where, { elsewhere }) => [
    {
      path: elsewhere.settings ?? join(folder(where), 'settings.json'),
      format: 'json',
      parts: [hooks(way, where), allowed],
    },
    { path: servers(where), format: 'json', parts: [serverIn(way, 'mcpServers', serverOf(way))] },
  ],
  skills: (where) => join(folder(where), 'skills'),
  grant: 'permissions.allow: ["mcp__loam"] in its settings',
}

const hooks = (way: Way, where: Where): Lists =>
  entriesIn(
    way,
    hooksFor(where),
    ([command, ...args], { seconds }, rule) => ({
      ...{ type: 'command', ...(rule && { if: rule }) },
      ...{ command, args, timeout: seconds },
    }),
    { service: SERVICE, marked: true },
  )

const allowed: Lists = {
  kind: 'lists',
  about: 'permission',
  in: ['permissions'],
  wanted: { allow: ['mcp__loam'] },
  ours: (rule) => rule === 'mcp__loam',
  only: true,
  words: true,
}

/** The tools over HTTP: the key comes from a helper and is in no file. */
export const serverOf = (way: Way): object => ({
  type: 'http',
  url: `${way.url}/api/mcp`,
  headersHelper: forShell(commandOf(way, ['mcp-headers'], SERVICE)),
})
