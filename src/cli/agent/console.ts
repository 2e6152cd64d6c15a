import { defineCommand } from '../command.ts'

export const consoleCommand = defineCommand({
  name: 'console',
  summary: 'open the console in a browser, signed in',
  for: 'agent',
  options: {
    '--print': 'print the path of the page that signs in, instead of opening it',
  },
  async run({ print }, call) {
    const { openConsole } = await import('./console/open.ts')
    await openConsole(call, { print: print === true })
  },
})
