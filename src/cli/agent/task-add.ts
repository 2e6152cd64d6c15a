import { defineCommand } from '../command.ts'
import { ASKER } from '../client/asker.ts'

export const taskAdd = defineCommand({
  name: 'task add',
  summary: 'add a task; its id goes to standard output',
  for: 'agent',
  options: {
    '--title <line>': { text: 'what is to be done', required: true },
    '--body <text>': 'what the worker must know, as markdown',
    '--project <slug>':
      'where it belongs; default: that of this directory; an unknown one is registered',
    ...ASKER,
    '--depends <ids>': 'tasks to be finished first, comma-separated',
    '--plan <slug>': 'the plan that it is a step of',
  },
  async run({ title, body, project, session, depends, plan }, { tool, say, complain }) {
    const input = { title, body, project, session, plan, depends_on: depends }
    const task = await tool('tasks_add', input)
    say(String(task['id']))
    if (task['secret_hint']) complain(String(task['secret_hint']))
  },
})
