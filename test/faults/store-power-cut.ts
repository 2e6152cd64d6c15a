import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { none } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { defineFault } from './fault.ts'
import { openCrew } from './store-agents.ts'
import { diskMissing, makeDisk } from './store-disk.ts'
import { leftovers, mismatches, openStore } from './store-process.ts'
import { openWeb } from './web.ts'

export const storePowerCut = defineFault({
  id: 'R03',
  title: 'a service whose power is cut starts again with every note whole and nothing lost',
  rounds: 60,
  missing: diskMissing,

  async run({ rounds, random, log }) {
    await using web = await openWeb()
    let done = 0
    for (let round = 0; round < rounds; round++) {
      await using folder = await openFolder()
      const image = join(folder.path, 'disk.img')
      const disk = await makeDisk(image, join(folder.path, 'disk'), 1_000)
      // Its database is made here: a copied one would not have reached the disk.
      const store = await openStore(disk.mount, web.env, { fresh: true })
      try {
        const crew = await openCrew(store, random)
        if (round % 2 === 1) {
          // A warm one: it has been in use and has come to rest.
          const work = crew.work()
          await crew.underWay()
          crew.stop()
          await work
          await store.service.stop()
          await disk.detach()
          await disk.attach()
          await store.start()
        }
        const work = crew.work()
        await crew.underWay()
        await sleep(random.int(2_800))
        crew.freeze()
        await disk.cut()
        await store.service.stop('SIGKILL')
        await work
        await disk.detach()
        await disk.attach()
        await store.start()
        await store.caughtUp()
        none(await crew.verify(), `round ${round}: not as it was acknowledged`)
        none(await leftovers(store.dataDir), `round ${round}: left behind`)
        await store.service.stop()
        none(await mismatches(store.dataDir), `round ${round}: row and file differ`)
        done += crew.counts.done
        log(`round ${round}: ${crew.counts.done} calls acknowledged`)
      } finally {
        await store.service.stop('SIGKILL')
        await disk.detach()
      }
    }
    return `${rounds} of ${rounds} started again; ${done} calls acknowledged, 0 lost, every file whole`
  },
})
