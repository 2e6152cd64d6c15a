import { defineCommand } from '../command.ts'
import { ACTING, changeStatus } from './task/acting.ts'

export const taskReopen = defineCommand({
  name: 'task reopen',
  summary: 'open a task again',
  for: 'agent',
  arguments: { '<id>': '' },
  options: ACTING,
  run: (task, call) => changeStatus(call, { ...task, status: 'open' }),
})
