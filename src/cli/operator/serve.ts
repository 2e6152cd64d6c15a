import { defineCommand } from '../command.ts'

export const serve = defineCommand({
  name: 'serve',
  summary: 'run the service',
  for: 'operator',
  options: {
    '--addr <host:port>': 'listen here instead of the configured address',
    '--log-file <file>': 'append the log to a file instead of standard error',
    '--log <form>': {
      text: 'json or plain, and all of it; default: warnings in plain lines on a terminal, else JSON',
      choices: ['json', 'plain'],
    },
  },
  async run({ addr, logFile, log }, call) {
    const { serve } = await import('./serve/service.ts')
    await serve(call, { addr, logFile, log })
  },
})
