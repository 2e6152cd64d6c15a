import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { none, type Random } from '../attacks/attack.ts'
import { openFolder } from '../helpers/folder.ts'
import { withServer } from '../helpers/postgres.ts'
import { startService, type Service } from '../helpers/service.ts'
import { openWire } from '../helpers/wire.ts'
import { askForAll, call, isReady, makeItems, noTally, type Item, type Tally } from './asked.ts'
import { emptyDatabase, serverMissing, startServer } from './database-server.ts'
import { openDoor } from './door.ts'
import { defineFault, spread } from './fault.ts'
import { openStore, type Store } from './store-process.ts'

const figures = ({ found, still }: Tally, firstMs: readonly number[]): string =>
  `${found} found, ${still} answered that the store is still being read, 0 denied; ` +
  `first right answer ${spread(firstMs)}`

/** Asks at once, again when the service is ready, and judges both. */
async function judge(store: Store | Service, items: readonly Item[], tally: Tally): Promise<void> {
  await askForAll(store, items, tally)
  none(tally.denied, 'denied while the rows caught up')
  const end = performance.now() + 120_000
  while (!(await isReady(store))) {
    if (performance.now() > end) throw new Error('not ready after two minutes')
    await sleep(50)
  }
  const after = noTally()
  await askForAll(store, items, after)
  none(after.denied, 'denied once ready')
  if (after.still > 0) throw new Error('still being read, and ready')
}

export const storeLost = defineFault({
  id: 'R32',
  title: 'nothing is denied while a lost database is built again from the files',
  rounds: 20,
  quick: true,

  async run({ rounds, full, timed }) {
    await using folder = await openFolder()
    const store = await openStore(folder.path)
    const [tally, first] = [noTally(), [] as number[]]
    try {
      const items = await makeItems(
        store,
        full && timed ? { notes: 450, memories: 125 } : { notes: 25, memories: 8 },
      )
      for (let round = 0; round < rounds; round++) {
        await store.service.stop('SIGKILL')
        await loseDatabase(store)
        await store.start()
        const asked = { ...noTally(), denied: tally.denied }
        await judge(store, items, asked)
        tally.found += asked.found
        tally.still += asked.still
        first.push(asked.firstMs)
      }
      return figures(tally, first)
    } finally {
      await store.service.stop('SIGKILL')
    }
  },
})

/** The embedded cluster, or the database on the server that is of this directory. */
async function loseDatabase({ dataDir }: Store): Promise<void> {
  await rm(join(dataDir, 'db'), { recursive: true, force: true })
  const url = process.env['LOAM_TEST_DATABASE_URL']
  if (!url) return
  const { testDatabase } = await import('../helpers/database.ts')
  const { pathname } = new URL((await testDatabase({ onDisk: dataDir })).url!)
  await withServer(url, (server) =>
    server.query(`drop database "${pathname.slice(1)}" with (force)`),
  )
}

const STEPS = ['before-rename', 'after-rename', 'after-dir-fsync', 'before-commit'] as const

export const storeMoves = defineFault({
  id: 'R32',
  title: 'nothing is denied after a kill inside a move, by another process or by the next start',
  rounds: 20,
  quick: true,

  async run({ rounds, random }) {
    await using folder = await openFolder()
    const store = await openStore(folder.path)
    const server = process.env['LOAM_TEST_DATABASE_URL'] !== undefined
    const [tally, first] = [noTally(), [] as number[]]
    const env = { LOAM_MCP_API_KEY: store.key }
    await using bystander = server ? await startService({ folder: folder.path, env }) : null
    try {
      const items = await makeItems(store, { notes: 12, memories: 0 })
      for (let round = 0; round < rounds; round++) {
        await store.service.stop()
        const at = `${random.pick(STEPS)}=kill:${1 + random.int(3)}`
        await store.start({ LOAM_FAILPOINT: at })
        await moveUntilKilled(store, items, random)
        for (const service of bystander ? [bystander, null] : [null]) {
          if (!service) await store.start()
          const asked = noTally()
          await judge(service ?? store, items, asked)
          tally.found += asked.found
          tally.still += asked.still
          first.push(asked.firstMs)
        }
      }
      return figures(tally, first)
    } finally {
      await store.service.stop('SIGKILL')
    }
  },
})

async function moveUntilKilled(store: Store, items: Item[], random: Random): Promise<void> {
  const ended = once(store.service.process, 'close')
  const wire = await openWire(store)
  for (let moves = 0; moves < 20; moves++) {
    const item = random.pick(items)
    const to = random.pick(['atlas', 'delta', 'ember'].filter((one) => one !== item.projects[0]))
    item.projects = [...new Set([...item.projects, to])]
    const answer = await call(wire, 'notes_update', { id: item.id, project: to }).catch(() => null)
    if (answer === null) return void (await ended)
    if (typeof answer === 'string') throw new Error(answer)
    item.projects = [to]
  }
  throw new Error('the failpoint was not reached')
}

/** Longer than rows are completed behind a rename. */
const AWAY_MS = 6_500

export const storeOwed = defineFault({
  id: 'R32',
  title: 'what was acknowledged while PostgreSQL was away is denied by no process afterwards',
  rounds: 20,
  missing: serverMissing,

  async run({ rounds, log }) {
    await using folder = await openFolder()
    const given = process.env['LOAM_TEST_DATABASE_URL']
    await using server = given ? null : await startServer({ LOAM_PG_NAME: 'faults-asked' })
    const url = await emptyDatabase(server?.url ?? given!)
    await using door = await openDoor(url)
    const key = { LOAM_MCP_API_KEY: 'asked-key-0123456789abcdef', LOAM_DATABASE_POOL: '4' }
    const start = (env: Record<string, string>) =>
      startService({ folder: folder.path, fresh: true, env: { ...key, ...env } })
    await using bystander = await start({ LOAM_DATABASE_URL: url })
    const items = await makeItems(bystander, { notes: 6, memories: 3 })
    const [tally, first] = [noTally(), [] as number[]]
    let owed = 0
    for (let round = 0; round < rounds; round++) {
      await using service = await start({
        LOAM_DATABASE_URL: door.url,
        LOAM_FAILPOINT: 'after-rename=sleep-1500:1',
      })
      while (!(await isReady(service))) await sleep(50)
      const from = 1_000 + 10 * round
      const size = round % 2 === 0 ? { notes: 1, memories: 0 } : { notes: 0, memories: 1 }
      const takeAway = async (): Promise<void> => {
        await sleep(1_200)
        door.shut()
        await endBackends(url)
        await sleep(AWAY_MS)
      }
      const [made] = await Promise.all([makeItems(service, { ...size, from }), takeAway()])
      items.push(...made)
      owed += made.filter((item) => item.owed).length
      // One that lost nothing, while the other is still away; then the one that could not write the rows.
      for (const where of [bystander, service]) {
        if (where === service) door.open()
        while (where === service && !(await answers(service))) await sleep(20)
        const asked = noTally()
        await askForAll(where, made, asked)
        none(asked.denied, where === service ? 'denied afterwards' : 'denied by another process')
        await judge(where, items, asked)
        tally.found += asked.found
        tally.still += asked.still
        first.push(asked.firstMs)
      }
      log(`round ${round + 1}`)
    }
    if (owed === 0) throw new Error('no write was acknowledged while the database was away')
    return `${owed} acknowledged with their rows owed; ${figures(tally, first)}`
  },
})

/** Whether a call reaches the database again. */
async function answers(service: Service): Promise<boolean> {
  const wire = await openWire(service).catch(() => null)
  return wire !== null && typeof (await call(wire, 'project_list', {})) === 'object'
}

const endBackends = (url: string): Promise<unknown> =>
  withServer(url, (server) =>
    server.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    ),
  )
