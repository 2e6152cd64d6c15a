import { setTimeout as sleep } from 'node:timers/promises'
import { none, quantile } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { defineFault, spread } from './fault.ts'
import { openCrew } from './store-agents.ts'
import { leftovers, mismatches, openStore } from './store-process.ts'
import { openWeb } from './web.ts'

const HEALTHY_WITHIN = 3_000
/** Rows are compared with files this often: the embedded database must be closed for it. */
const LOOK_EVERY = 5

export const storeKill = defineFault({
  id: 'R01',
  title:
    'a service that is killed under load keeps what it acknowledged and nothing that it refused',
  rounds: 200,

  async run({ rounds, random, timed }) {
    await using folder = await openFolder()
    await using web = await openWeb()
    const store = await openStore(folder.path, web.env)
    try {
      const crew = await openCrew(store, random)
      const times: number[] = []
      const calm: number[] = []
      for (let round = 1; round <= rounds; round++) {
        const work = crew.work()
        await crew.underWay()
        await sleep(random.int(2_800))
        await store.service.stop('SIGKILL')
        await work
        times.push(await store.start())
        await store.caughtUp()
        none(await crew.verify(), `round ${round}: not as it was acknowledged`)
        none(await leftovers(store.dataDir), `round ${round}: left behind`)
        if (round % LOOK_EVERY > 0 && round < rounds) continue
        await store.service.stop()
        none(await mismatches(store.dataDir), `round ${round}: row and file differ`)
        calm.push(await store.start())
      }
      none(
        [...crew.refusals.keys()].filter((text) => text.includes('internal')),
        'internal errors',
      )
      const p95 = quantile(times, 0.95)
      // A slow machine starts slowly after a clean stop too.
      const limit = Math.max(HEALTHY_WITHIN, 1.5 * quantile(calm, 0.95))
      if (timed && p95 > limit) throw new Error(`healthy again in ${p95.toFixed(0)} ms`)
      const { done, refused, unknown } = crew.counts
      return `${done} acknowledged, 0 lost; ${refused} refused, 0 done; ${unknown} without an answer; healthy again ${spread(times)} (after a clean stop ${spread(calm)})`
    } finally {
      await store.service.stop('SIGKILL')
    }
  },
})
