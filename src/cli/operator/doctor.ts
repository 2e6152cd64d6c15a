import Type from 'typebox'
import { defineCommand } from '../command.ts'

export const doctor = defineCommand({
  name: 'doctor',
  summary: 'look at configuration, data and service, and say what is wrong',
  for: 'operator',
  operation: {
    input: Type.Object({}),
    async work(house) {
      const { readStatus } = await import('./doctor/status.ts')
      return readStatus(house)
    },
  },
  /** Prints one line for each thing looked at. The exit code is 1 only when one of them failed. */
  async run(_, { env, cwd, place, settings, client, operate, say }) {
    const { checks } = await import('./doctor/checks.ts')
    let failed = false
    for await (const { level, about, text } of checks({
      machine: { env, cwd },
      place,
      settings,
      client,
      askStatus: () => operate({}),
    })) {
      say(`${level.padEnd(4)}  ${about.padEnd(8)}  ${text}`)
      failed ||= level === 'fail'
    }
    return failed ? 1 : 0
  },
})
