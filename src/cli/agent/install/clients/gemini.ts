import { join } from 'node:path'
import { homeOf } from '../../../machine.ts'
import { type ClientKind, settingsOf, TRUST, type Where } from '../client.ts'

const SERVICE = 'gemini'

const folder = (where: Where): string =>
  join(where.env['GEMINI_CLI_HOME'] || homeOf(where), '.gemini')

/** Its own names: an agent's turn begins with a prompt and ends with an answer. */
const HOOKS = {
  SessionStart: { hook: 'session-start', seconds: 10 },
  BeforeAgent: { hook: 'user-prompt-submit', seconds: 5 },
  AfterAgent: { hook: 'stop', seconds: 10 },
  SessionEnd: { hook: 'session-end', seconds: 10 },
}

/** Gemini CLI: everything is in its settings, and times are milliseconds. */
export const gemini: ClientKind = {
  name: 'gemini',
  alias: 'ge',
  service: SERVICE,
  program: 'gemini',
  folders: (where) => [folder(where)],
  sheets: (way, where, { allow }) => [
    settingsOf(way, join(folder(where), 'settings.json'), HOOKS, {
      service: SERVICE,
      allow,
      perSecond: 1000,
    }),
  ],
  grant: TRUST,
}
