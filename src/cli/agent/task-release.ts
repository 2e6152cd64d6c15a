import type { Static } from 'typebox'
import type { RELEASED_JSON } from '../client/console-json.ts'
import { defineCommand } from '../command.ts'
import { ACTING, changedLine } from './task/acting.ts'

export const taskRelease = defineCommand({
  name: 'task release',
  summary: 'give a task back, or take it away from its holder',
  for: 'agent',
  arguments: { '<id>': '' },
  options: { ...ACTING, '--force': 'as the owner, from any holder' },
  async run({ id, session, token, force }, { tool, console, say }) {
    const released = force
      ? ((await console(`/console/tasks/${encodeURIComponent(id)}/release`, 'POST')) as Static<
          typeof RELEASED_JSON
        >)
      : await tool('tasks_release', { id, session, claim_token: token })
    say(changedLine(released))
  },
})
