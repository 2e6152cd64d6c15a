import { defineCommand } from '../command.ts'

export const taskShow = defineCommand({
  name: 'task show',
  summary: 'print a task as JSON',
  for: 'agent',
  arguments: { '<id>': '' },
  async run({ id }, { tool, say }) {
    const { tasks } = await tool('tasks_list', { id })
    say(JSON.stringify((tasks as unknown[])[0], null, 2))
  },
})
