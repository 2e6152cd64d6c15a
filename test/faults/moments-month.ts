import { setTimeout as sleep } from 'node:timers/promises'
import { liveThrough } from '../gamification/month.ts'
import { none } from '../attacks/attack.ts'
import { withServer } from '../helpers/postgres.ts'
import { startService, type Service } from '../helpers/service.ts'
import { temporary } from './database-process.ts'
import { emptyDatabase, serverMissing, startServer, type Server } from './database-server.ts'
import { defineFault } from './fault.ts'
import { KEY } from './feed-instances.ts'

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
    await using folder = await temporary()
    await using server: Server | null = full ? await startServer() : null
    const url = await emptyDatabase(server?.url ?? process.env['LOAM_TEST_DATABASE_URL']!)
    const start = (): Promise<Service> =>
      startService({
        folder: folder.path,
        fresh: true,
        env: {
          ...{ LOAM_DATABASE_URL: url, LOAM_DATABASE_POOL: '6', LOAM_MCP_API_KEY: KEY },
          ...{ LOAM_FEATURES_MOMENTUM: 'true', LOAM_FEATURES_GAMIFICATION: 'true' },
          LOAM_GARDENER_ENABLED: 'false',
        },
      })
    await using all = new AsyncDisposableStack()
    const services: Service[] = []
    for (let n = 0; n < PROCESSES; n++) services.push(await start())
    all.defer(async () => {
      for (const service of services) await service[Symbol.asyncDispose]()
    })
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
