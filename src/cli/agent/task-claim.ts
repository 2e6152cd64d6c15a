import { defineCommand } from '../command.ts'
import { CLAIMING, claimTask } from './task/claiming.ts'

export const taskClaim = defineCommand({
  name: 'task claim',
  summary: 'take a task for a session; its claim token goes to standard output',
  for: 'agent',
  arguments: { '<id>': '' },
  options: CLAIMING,
  run: (task, call) => claimTask(call, task),
})
