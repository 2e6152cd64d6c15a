import { setTimeout as sleep } from 'node:timers/promises'
import { liveThrough } from '../gamification/month.ts'
import { none } from '../attacks/attack.ts'
import { withServer } from '../helpers/postgres.ts'
import { serverMissing } from './database-server.ts'
import { defineFault } from './fault.ts'
import { openProcesses } from './processes.ts'

const PROCESSES = 2
/** The suite's share of a month. */
const FEWEST_DAYS = 3
/** On one day of so many a process is killed, within so long of its morning. */
const KILLED_DAYS = 3
const MORNING_MS = 1_500

export const momentsMonth = defineFault({
  id: 'M01',
  title: 'two processes mint each moment of a month exactly once, whichever of them is killed',
  rounds: 31,
  missing: serverMissing,
  async run({ rounds, random, full, log }) {
    await using processes = await openProcesses({
      ...{ count: PROCESSES, full },
      env: {
        ...{ LOAM_FEATURES_MOMENTUM: 'true', LOAM_FEATURES_GAMIFICATION: 'true' },
        LOAM_GARDENER_ENABLED: 'false',
      },
    })
    const { url, services, start } = processes
    let kills = 0
    const { wrong, figures } = await liveThrough(
      {
        doors: () => services,
        query: (text, values) =>
          withServer(url, async (client) => (await client.query(text, values)).rows as never),
        async disturb(day) {
          if (day % KILLED_DAYS !== 1) return
          await sleep(random.int(MORNING_MS))
          const victim = random.int(PROCESSES)
          await services[victim]!.stop('SIGKILL')
          services[victim] = await start()
          kills++
          log(`day ${day}: killed one of ${PROCESSES}`)
        },
      },
      { days: Math.max(FEWEST_DAYS, rounds), random },
    )
    none(wrong, 'moments')
    return `${figures}; ${kills} kills`
  },
})
