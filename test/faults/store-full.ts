import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { none } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { openWire, send } from '../helpers/wire.ts'
import { defineFault, spread } from './fault.ts'
import { openCrew } from './store-agents.ts'
import { diskMissing, fill, makeDisk } from './store-disk.ts'
import { leftovers, mismatches, openStore, type Store } from './store-process.ts'

const WELL_WITHIN = 5_000

export const storeFull = defineFault({
  id: 'R15',
  title: 'a full disk refuses writes by name, serves reads, and is well again when there is room',
  rounds: 20,
  missing: diskMissing,

  async run({ rounds, random, timed, log }) {
    await using folder = await openFolder()
    const disk = await makeDisk(join(folder.path, 'disk.img'), join(folder.path, 'disk'), 300)
    const store = await openStore(disk.mount)
    const times: number[] = []
    try {
      const crew = await openCrew(store, random)
      const wire = await openWire(store)
      const read = () => wire.ask('tools/call', { name: 'recall', arguments: { query: 'note' } })
      for (let round = 0; round < rounds; round++) {
        const work = crew.work()
        await sleep(500 + random.int(1_000))
        const filler = await fill(disk)
        const said = await until(store, (status) => status !== 'ok')
        await sleep(1_000)
        if ((await read()).body?.result?.isError !== undefined)
          throw new Error(`round ${round}: a read failed`)
        await sleep(1_000)
        await rm(filler)
        const began = performance.now()
        await until(store, (status) => status === 'ok')
        times.push(performance.now() - began)
        await sleep(500)
        crew.stop()
        await work
        none(await crew.verify(), `round ${round}: not as it was answered`)
        none(await leftovers(store.dataDir), `round ${round}: left behind`)
        log(`round ${round}: ${said}, well after ${times.at(-1)?.toFixed(0)} ms`)
      }
      const refusals = [...crew.refusals.keys()]
      const lack = refusals.filter((text) => /^\w+: storage full$/.test(text))
      if (lack.length === 0) throw new Error(`nothing was refused for lack of room: ${refusals}`)
      log(JSON.stringify([...crew.refusals]))
      // An edit whose words stand twice in the note is refused on any day.
      const usual = /^\w+: (storage full$|edits\[0\]: old_string)/
      none(
        refusals.filter((text) => !usual.test(text)),
        'refused for another reason',
      )
      await store.service.stop()
      none(await mismatches(store.dataDir), 'row and file differ')
      if (timed && Math.max(...times) > WELL_WITHIN)
        throw new Error(`well again after ${spread(times)}`)
      const { done, refused } = crew.counts
      return `${done} acknowledged, 0 lost; ${refused} refused, 0 done; well again after ${spread(times)}`
    } finally {
      await store.service.stop('SIGKILL')
      await disk.detach()
    }
  },
})

/** Waits for /healthz to say so; answers what it said. */
async function until(store: Store, wanted: (status: string) => boolean): Promise<string> {
  const end = performance.now() + 60_000
  for (;;) {
    const { status, body } = await send(store.url, { path: '/healthz' })
    if (wanted(body?.status)) return `${status} ${body?.status}`
    if (performance.now() > end) throw new Error(`healthz says ${status} ${body?.status}`)
    await sleep(100)
  }
}
