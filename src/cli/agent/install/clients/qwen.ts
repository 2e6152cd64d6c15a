import { join } from 'node:path'
import { homeOf } from '../../../machine.ts'
import { type ClientKind, settingsOf, TRUST, type Where } from '../client.ts'

const SERVICE = 'qwen'

const folder = (where: Where): string => where.env['QWEN_HOME'] || join(homeOf(where), '.qwen')

const HOOKS = {
  SessionStart: { hook: 'session-start', seconds: 10 },
  UserPromptSubmit: { hook: 'user-prompt-submit', seconds: 5 },
  Stop: { hook: 'stop', seconds: 10 },
  SessionEnd: { hook: 'session-end', seconds: 10 },
  SubagentStart: { hook: 'subagent-start', seconds: 10 },
  SubagentStop: { hook: 'subagent-stop', seconds: 10 },
}

/** Qwen Code: hooks and servers in its settings, in the names and units of Claude Code. */
export const qwen: ClientKind = {
  name: 'qwen',
  alias: 'qw',
  service: SERVICE,
  program: 'qwen',
  folders: (where) => [folder(where)],
  sheets: (way, where, { allow }) => [
    settingsOf(way, join(folder(where), 'settings.json'), HOOKS, {
      service: SERVICE,
      allow,
      perSecond: 1,
    }),
  ],
  grant: TRUST,
}
