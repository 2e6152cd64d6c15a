import { defineCommand } from '../command.ts'
import { ACTING, changeStatus } from './task/acting.ts'

export const taskStart = defineCommand({
  name: 'task start',
  summary: 'say that a task is in progress, without a claim',
  for: 'agent',
  arguments: { '<id>': '' },
  options: ACTING,
  run: (task, call) => changeStatus(call, { ...task, status: 'in_progress' }),
})
