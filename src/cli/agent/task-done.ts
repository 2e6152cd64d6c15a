import { defineCommand } from '../command.ts'
import { ACTING, changeStatus } from './task/acting.ts'

export const taskDone = defineCommand({
  name: 'task done',
  summary: 'close a task that is finished',
  for: 'agent',
  arguments: { '<id>': '' },
  options: ACTING,
  run: (task, call) => changeStatus(call, { ...task, status: 'done' }),
})
