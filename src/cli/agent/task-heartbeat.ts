import { defineCommand } from '../command.ts'
import { CLAIMING, claimTask } from './task/claiming.ts'

export const taskHeartbeat = defineCommand({
  name: 'task heartbeat',
  summary: 'go on with a claim: its lease begins anew',
  for: 'agent',
  arguments: { '<id>': '' },
  options: CLAIMING,
  run: (task, call) => claimTask(call, task),
})
