import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { none } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { openWire } from '../helpers/wire.ts'
import { call, isReady, makeItems } from './asked.ts'
import { defineFault } from './fault.ts'
import { openCrew } from './store-agents.ts'
import { mismatches, notesOnDisk, openStore, untilHealth } from './store-process.ts'

export const storeFolder = defineFault({
  id: 'R33',
  title:
    'a folder of files that vanishes under load is not forgotten, not written to, and back as it was',
  rounds: 20,

  async run({ rounds, random }) {
    await using folder = await openFolder()
    const store = await openStore(folder.path)
    const [there, away] = [join(store.dataDir, 'notes'), join(folder.path, 'away')]
    let refused = 0
    try {
      const items = await makeItems(store, { notes: 15, memories: 3 })
      const crew = await openCrew(store, random, 3)
      for (let round = 0; round < rounds; round++) {
        const work = crew.work()
        await crew.underWay()
        await rename(there, away)
        await untilHealth(store, (status) => status === 'degraded')
        refused += await triesToWrite(store, `lost ${round}`)
        await sleep(random.int(3_000))
        await rename(away, there)
        await untilHealth(store, (status) => status === 'ok')
        crew.stop()
        await work
        const wrong = (await crew.verify()).filter((line) => !line.startsWith('note-zq'))
        none(wrong, `round ${round}: not as it was acknowledged`)
        const wire = await openWire(store)
        const reads = items
          .filter(({ kind }) => kind === 'note')
          .map(({ id }) => call(wire, 'notes_read', { id }))
        none(
          (await Promise.all(reads)).filter((one) => typeof one === 'string') as string[],
          'gone',
        )
        none(twice((await notesOnDisk(store.dataDir)).map(({ id }) => id)), 'there twice')
      }
      // What a write into the folder left behind is noticed by the next look, a second later.
      await sleep(1_500)
      while (!(await isReady(store))) await sleep(50)
      await store.service.stop()
      none(await mismatches(store.dataDir), 'row and file differ')
      return `${refused} writes into the missing folder, all refused; 0 forgotten, 0 twice`
    } finally {
      await store.service.stop('SIGKILL')
    }
  },
})

/** Writes that must be refused, and say why. */
async function triesToWrite(store: { url: string; key: string }, title: string): Promise<number> {
  const wire = await openWire(store)
  const answer = await call(wire, 'notes_create', { title, body: 'b', project: 'atlas' })
  if (typeof answer === 'string' && answer.includes('has vanished')) return 1
  throw new Error(`a write into a missing folder: ${JSON.stringify(answer)}`)
}

const twice = (ids: readonly string[]): string[] => ids.filter((id, at) => ids.indexOf(id) !== at)
