/** Processes' worth of service within this one, on one database and one data directory, and who writes events to it. */
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { buildApp, type App } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/postgres/database.ts'
import { newId } from '../../src/kernel/id.ts'
import { testDatabase } from '../helpers/database.ts'
import type { Frame } from '../helpers/sse.ts'
import { temporary } from './database-process.ts'
import { emptyDatabase, startServer, type Server } from './database-server.ts'

export const KEY = 'followed-key-0123456789abcdef'

export interface Instances extends AsyncDisposable {
  /** One each, with the key that opens them all. */
  doors: { url: string; key: string }[]
  apps: App[]
  /** Of the database; '' when it is the embedded one, which has one instance only. */
  databaseUrl: string
  /** A connection of its own. */
  connect(): Promise<pg.Client>
}

export interface InstancesOptions {
  count: number
  /** On a server; else on whatever the run uses. */
  full: boolean
  /** Past which the instances listen, given where the server is. */
  listenUrl?: (url: string) => Promise<string>
}

export async function openInstances(options: InstancesOptions): Promise<Instances> {
  const { count, full, listenUrl } = options
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await temporary())
  const server: Server | null = full ? stack.use(await startServer()) : null
  const given = server?.url ?? process.env['LOAM_TEST_DATABASE_URL']
  const url = given ? await emptyDatabase(given) : ''
  const log = pino({ level: process.env['LOAM_TEST_LOG'] ?? 'silent' })
  const apps: App[] = []
  const doors: Instances['doors'] = []
  for (let n = 0; n < count; n++) {
    const { config } = await loadConfig({
      env: { HOME: folder.path, LOAM_DATA_DIR: folder.path, LOAM_MCP_API_KEY: KEY },
      cwd: folder.path,
    })
    const place = url
      ? { url, dir: '', ...(listenUrl && { listenUrl: await listenUrl(url) }) }
      : await testDatabase({ onDisk: folder.path })
    const app = await buildApp(config, { log, database: await openDatabase({ ...place, log }) })
    stack.defer(() => app.close())
    await app.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.app.server.address() as AddressInfo
    apps.push(app)
    doors.push({ url: `http://127.0.0.1:${port}`, key: KEY })
  }
  const clients: pg.Client[] = []
  const all = stack.move()
  return {
    doors,
    apps,
    databaseUrl: url,
    async connect() {
      const client = new pg.Client({ connectionString: url })
      client.on('error', () => {})
      await client.connect()
      clients.push(client)
      return client
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(clients.map((client) => client.end()))
      await all[Symbol.asyncDispose]()
    },
  }
}

/** Writes single events through an instance's own pool, and knows which were acknowledged. */
export function writer({ database: { db } }: Pick<App, 'database'>, title = 'x') {
  const payload = JSON.stringify({ title })
  const ids: string[] = []
  const write = async (): Promise<void> => {
    const id = newId(new Date())
    await sql`insert into events (id, ts, kind, transport, payload)
      values (${id}, clock_timestamp(), 'note.written', false, ${payload}::jsonb)`.execute(db)
    ids.push(id)
  }
  return { ids, write }
}

/** Writes at a pace until `stop`, which answers with everything that was acknowledged. */
export function steadily(each: { ids: string[]; write(): Promise<void> }, perSecond: number) {
  let stopped = false
  const began = performance.now()
  const work = (async () => {
    for (let n = 0; !stopped; n++) {
      await each.write()
      await sleep(Math.max(0, began + ((n + 1) * 1_000) / perSecond - performance.now()))
    }
  })()
  return async (): Promise<string[]> => {
    stopped = true
    await work
    return each.ids
  }
}

/**
 * What is wrong with what a reader received: something lost, twice, not written, or out of order
 * within what became visible at once. The frames of a reader that came and went stand one after another.
 */
export function wrongs(wanted: readonly string[], frames: readonly Frame[]): string[] {
  const got = frames.filter(({ event }) => event === 'message').map(({ data }) => data.id as string)
  const [want, have] = [new Set(wanted), new Set(got)]
  const found = [
    ...wanted.filter((id) => !have.has(id)).map((id) => `lost ${id}`),
    ...[...have].filter((id) => !want.has(id)).map((id) => `not written ${id}`),
    ...frames.filter(({ event }) => event !== 'message').map(({ event }) => event),
  ]
  if (got.length > have.size) found.push(`${got.length - have.size} twice`)
  let [span, tx, id] = ['', 0n, '']
  for (const { id: place } of frames) {
    const [epoch, prev, now, row = ''] = place.split('~')
    const own = `${epoch}~${prev}~${now}`
    const [ownTx = '0', ownId = ''] = row.split('.')
    const later = BigInt(ownTx) > tx || (BigInt(ownTx) === tx && ownId > id)
    if (own === span && !later) found.push(`out of order ${ownId}`)
    ;[span, tx, id] = [own, BigInt(ownTx), ownId]
  }
  return found
}
