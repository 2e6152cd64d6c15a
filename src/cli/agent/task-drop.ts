import { defineCommand } from '../command.ts'
import { ACTING, changeStatus } from './task/acting.ts'

export const taskDrop = defineCommand({
  name: 'task drop',
  summary: 'close a task that is not worth doing',
  for: 'agent',
  arguments: { '<id>': '' },
  options: ACTING,
  run: (task, call) => changeStatus(call, { ...task, status: 'dropped' }),
})
