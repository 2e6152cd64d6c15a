import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { none } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { pino } from 'pino'
import { openDatabase } from '../../src/postgres/database.ts'
import { withServer } from '../helpers/postgres.ts'
import { openWire } from '../helpers/wire.ts'
import { emptyDatabase, startServerOn } from './database-server.ts'
import { defineFault, spread, type Given } from './fault.ts'
import { openCrew } from './store-agents.ts'
import { diskMissing, fill, makeDisk, type Disk } from './store-disk.ts'
import {
  differences,
  leftovers,
  mismatches,
  openStore,
  untilHealth,
  type Store,
} from './store-process.ts'

const WELL_WITHIN = 5_000

/** An edit whose words stand twice in the note is refused on any day. */
const usual = /^\w+: (storage full$|edits\[0\]: old_string)/
const TITLE = 'refuses writes by name, serves reads, and is well again when there is room'

/** A store, and the disk that is filled. */
interface Filled {
  store: Store
  disk: Disk
  /** What may be said of a write. */
  usual: RegExp
  /** No byte is left. */
  filled(): Promise<void>
  /** Whether reads are answered while the disk is full. */
  reads(): Promise<boolean>
  /** There is room again. */
  freed(): Promise<void>
  /** Where row and file differ, once the service has ended. */
  compare(): Promise<string[]>
}

export const storeFull = defineFault({
  id: 'R15',
  title: `a full disk ${TITLE}`,
  rounds: 20,
  missing: diskMissing,

  async run(given) {
    await using folder = await openFolder()
    const disk = await makeDisk(join(folder.path, 'disk.img'), join(folder.path, 'disk'), 300)
    try {
      const store = await openStore(disk.mount)
      return await fillAgain(given, {
        store,
        disk,
        usual,
        filled: async () => {},
        reads: async () => true,
        freed: async () => {},
        compare: () => mismatches(store.dataDir),
      })
    } finally {
      await disk.detach()
    }
  },
})

/** A server may end when it cannot write its log ahead; it is started again, as its owner would. */
export const serverFull = defineFault({
  id: 'R15',
  title: `a full disk under a database server ${TITLE}`,
  rounds: 20,
  missing: diskMissing,

  async run(given) {
    await using folder = await openFolder()
    await using server = await startServerOn(join(folder.path, 'disk.img'), 600)
    const url = await emptyDatabase(server.url)
    const store = await openStore(folder.path, { LOAM_DATABASE_URL: url }, { fresh: true })
    return await fillAgain(given, {
      store,
      disk: server.disk,
      usual:
        /^\w+: (storage full$|the database does not answer; try again$|edits\[0\]: old_string)/,
      async filled() {
        // A log that has no room for its next piece ends the server; without that, only tables are full.
        if (given.random.int(2) === 0) await endLog(url)
      },
      reads: () => stands(url),
      freed: () => server.revive(),
      async compare() {
        await using database = await openDatabase({ url, dir: '', log: pino({ level: 'silent' }) })
        return await differences(database, store.dataDir)
      },
    })
  },
})

const endLog = (url: string): Promise<unknown> =>
  withServer(url, (client) => client.query('select pg_switch_wal()')).catch(() => {})

const stands = (url: string): Promise<boolean> =>
  withServer(url, async (client) => Boolean(await client.query('select 1'))).catch(() => false)

/** What the engine said last. */
const troubleOf = ({ service }: Store): string =>
  service
    .stderr()
    .split('\n')
    .filter((line) => line.includes('the embedded database'))
    .slice(-6)
    .join('\n')

async function fillAgain(
  { rounds, random, timed, log }: Given,
  { store, disk, usual, filled, reads, freed, compare }: Filled,
): Promise<string> {
  const times: number[] = []
  try {
    const crew = await openCrew(store, random)
    const wire = await openWire(store)
    const read = () => wire.ask('tools/call', { name: 'recall', arguments: { query: 'note' } })
    for (let round = 0; round < rounds; round++) {
      const work = crew.work()
      await sleep(500 + random.int(1_000))
      const filler = await fill(disk)
      await filled()
      const said = await untilHealth(store, (status) => status !== 'ok')
      await sleep(1_000)
      const { body } = await read()
      const served = body?.result !== undefined && !body.result.isError
      if (!served && (await reads()))
        throw new Error(
          `round ${round}: a read failed: ${JSON.stringify(body)}\n${troubleOf(store)}`,
        )
      await sleep(1_000)
      await rm(filler)
      await freed()
      const began = performance.now()
      await untilHealth(store, (status) => status === 'ok')
      times.push(performance.now() - began)
      await sleep(500)
      crew.stop()
      await work
      none(await crew.verify(), `round ${round}: not as it was answered`)
      none(await leftovers(store.dataDir), `round ${round}: left behind`)
      const how = served ? 'reads served' : 'the server had ended'
      log(`round ${round}: ${said}, ${how}, well after ${times.at(-1)?.toFixed(0)} ms`)
    }
    const refusals = [...crew.refusals.keys()]
    const lack = refusals.filter((text) => /^\w+: storage full$/.test(text))
    if (lack.length === 0) throw new Error(`nothing was refused for lack of room: ${refusals}`)
    log(JSON.stringify([...crew.refusals]))
    none(
      refusals.filter((text) => !usual.test(text)),
      'refused for another reason',
    )
    await store.service.stop()
    none(await compare(), 'row and file differ')
    if (timed && Math.max(...times) > WELL_WITHIN)
      throw new Error(`well again after ${spread(times)}`)
    const { done, refused } = crew.counts
    return `${done} acknowledged, 0 lost; ${refused} refused, 0 done; well again after ${spread(times)}`
  } finally {
    await store.service.stop('SIGKILL')
  }
}
