import { setTimeout as sleep } from 'node:timers/promises'
import { none } from '../attacks/attack.ts'
import { lostFrom, makeStore, openStore, startChild, temporary } from './database-process.ts'
import { defineFault, spread } from './fault.ts'

const REFUSED_WITHIN = 2_000

export const databaseLock = defineFault({
  id: 'R06',
  title:
    'a second process on an embedded store is refused with the holder named, and takes over when it dies',
  rounds: 20,
  once: true,
  async run({ rounds, random, timed }) {
    await using folder = await temporary()
    await (await makeStore(folder.path)).close()
    const times: number[] = []
    let commits = 0
    let holder = startChild('write', folder.path)
    for (let round = 0; round < rounds; round++) {
      const opened = await holder.first
      if (!opened.said.startsWith('OPEN')) throw new Error(`round ${round}: ${opened.said}`)
      await sleep(random.int(500))
      const second = startChild('write', folder.path)
      const { said } = await second.first
      const { code, ms } = await second.exit
      times.push(ms)
      if (code !== 1 || !said.includes(`in use by process ${holder.pid} on `))
        throw new Error(`round ${round}: the second process ended with ${code}: ${said}`)
      if (timed && ms > REFUSED_WITHIN) throw new Error(`refused after ${ms.toFixed(0)} ms`)
      const before = holder.acknowledged.length
      await sleep(300)
      if (holder.acknowledged.length === before)
        throw new Error(`round ${round}: the holder stands still`)
      await holder.kill()
      commits += holder.acknowledged.length
      const dead = holder
      holder = startChild('write', folder.path)
      await holder.first
      await holder.kill()
      await using database = await openStore(folder.path)
      none(await lostFrom(database, dead.acknowledged), 'an acknowledged commit was lost')
      await database.close()
      holder = startChild('write', folder.path)
    }
    await holder.first
    await holder.kill()
    return `refused within ${spread(times)} of its process's start; ${commits} commits, 0 lost`
  },
})
