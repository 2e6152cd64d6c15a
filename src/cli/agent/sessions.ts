import type { Static } from 'typebox'
import type { SESSIONS_JSON } from '../client/console-json.ts'
import { defineCommand } from '../command.ts'

export const sessions = defineCommand({
  name: 'sessions',
  summary: 'list the sessions of late, or print one as JSON',
  for: 'agent',
  arguments: { '[id]': 'of one session' },
  options: { '--status <status>': 'active, idle, completed, expired' },
  async run({ id, status }, { console, say }) {
    const query = new URLSearchParams({ format: 'json', ...(status && { status }) })
    if (id !== undefined) {
      const session = await console(`/console/sessions/${encodeURIComponent(id)}?${query}`)
      say(JSON.stringify(session, null, 2))
      return
    }
    const answer = await console(`/console/sessions?${query}`)
    const { sessions } = answer as Static<typeof SESSIONS_JSON>
    for (const { id, name, project, status, updated } of sessions)
      say(`${id}  ${status.padEnd(9)}  ${updated}  ${name}  ${project || 'global'}`)
  },
})
