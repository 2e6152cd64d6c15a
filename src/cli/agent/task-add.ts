import { defineCommand } from '../command.ts'

export const taskAdd = defineCommand({
  name: 'task add',
  summary: 'add a task; its id goes to standard output',
  for: 'agent',
  options: {
    '--title <line>': { text: 'what is to be done', required: true },
    '--body <text>': 'what the worker must know, as markdown',
    '--project <slug>': 'where it belongs; an unknown one is registered',
    '--depends <ids>': 'tasks to be finished first, comma-separated',
    '--plan <slug>': 'the plan that it is a step of',
  },
  async run({ title, body, project, depends, plan }, { tool, say, complain }) {
    const input = { title, body, project, plan, depends_on: depends }
    const task = await tool('tasks_add', input)
    say(String(task['id']))
    if (task['secret_hint']) complain(String(task['secret_hint']))
  },
})
