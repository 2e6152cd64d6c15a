import { defineCommand } from '../command.ts'
import { ASKER } from '../client/asker.ts'

interface Shown {
  id: string
  title: string
  status: string
  claimed_by?: string
  lease_expires_at?: string
}

export const taskList = defineCommand({
  name: 'task list',
  summary: 'list tasks, the newest first',
  for: 'agent',
  options: {
    '--id <id>': 'this one alone',
    '--project <slug>': 'of this project; default: that of this directory',
    ...ASKER,
    '--status <status>': 'open, in_progress, done, dropped',
    '--plan <slug>': 'steps of this plan',
    '--limit <number>': 'at most; default 50',
  },
  async run({ id, project, session, plan, status, limit }, { tool, say, complain }) {
    const answer = await tool('tasks_list', { id, project, session, plan, status, limit })
    const tasks = answer['tasks'] as Shown[]
    for (const { id, status, title, claimed_by, lease_expires_at } of tasks) {
      const until = lease_expires_at ?? 'nobody knows'
      const held = claimed_by ? `  (${claimed_by} until ${until})` : ''
      say(`${id}  ${status.padEnd(11)}  ${title}${held}`)
    }
    complain(`${tasks.length} of ${answer['total']}`)
  },
})
