/**
 * On which database the tests run: a server that is given, else one in a container, else the
 * embedded one. Decided and prepared once for a run, by vitest's global set-up or at first use.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { pino } from 'pino'
import { openDatabase } from '../../src/postgres/database.ts'
import { migrate, readMigrations } from '../../src/postgres/migrate.ts'
import { SEED } from './seed.ts'

/** Where a migrated database begins: a template on a server, or an embedded cluster, as a tar and as a directory. */
export type Origin = { url: string; template: string } | { snapshot: string; cluster: string }

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/loam/', import.meta.url))
const silent = pino({ level: 'silent' })
/** Databases and snapshots that no run can still be using. */
const LEFT_BEHIND = 60 * 60 * 1000
const RECURSIVE = { recursive: true, force: true }

let origin: Promise<Origin> | undefined

/** The origin of this run's databases, made at the first call. */
export const testOrigin = (): Promise<Origin> => (origin ??= prepare())

/** vitest's global set-up: decides, prepares, and says which of the three it is and what the seed is. */
export async function setup(): Promise<() => Promise<void>> {
  const scratch = await ownScratch()
  const given = process.env['LOAM_TEST_DATABASE_URL']
  const container = !given && (await dockerAnswers()) ? await startContainer() : undefined
  if (container) process.env['LOAM_TEST_DATABASE_URL'] = container.url
  await testOrigin()
  const url = URL.parse(process.env['LOAM_TEST_DATABASE_URL'] ?? '')
  const where = url ? `PostgreSQL at ${url.host}` : 'the embedded database'
  const made = given ? ' (LOAM_TEST_DATABASE_URL)' : container ? ' (a container)' : ''
  // Programs that tests start find their modules compiled.
  process.env['NODE_COMPILE_CACHE'] ??= join(CACHE, 'code')
  console.log(`tests run on ${where}${made}, seed ${SEED}`)
  return async () => {
    await container?.stop()
    await rm(scratch, RECURSIVE)
  }
}

/** What the tests put into the temporary directory goes with the run, also when a worker was killed. */
async function ownScratch(): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'loam-run-'))
  process.env['TMPDIR'] = scratch
  return scratch
}

async function prepare(): Promise<Origin> {
  const steps = await readMigrations()
  const schema = createHash('sha256')
  for (const { name, checksum } of steps) schema.update(`${name} ${checksum}\n`)
  const hash = schema.digest('hex').slice(0, 16)
  const url = process.env['LOAM_TEST_DATABASE_URL']
  return url ? prepareTemplate(url, hash) : prepareSnapshot(hash)
}

/** The same server, another database. */
export function onServer(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = `/${name}`
  return other.href
}

/** Runs statements on the given database of the server, on a connection of their own. */
export async function withServer<T>(url: string, work: (c: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  // A server that ends fails the statement; without a listener it would end this process.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A migrated database, of which each test file gets a copy. Made once, whoever comes first. */
async function prepareTemplate(url: string, hash: string): Promise<Origin> {
  const template = `loam_template_${hash}`
  await withServer(url, async (server) => {
    await server.query(`select pg_advisory_lock(hashtext('loam test template'))`)
    await sweep(server)
    const { rows } = await server.query('select 1 from pg_database where datname = $1', [template])
    if (rows.length > 0) return
    const making = `${template}_new`
    await server.query(`drop database if exists ${making}`)
    await server.query(`create database ${making}`)
    const options = { url: onServer(url, making), dir: '', log: silent }
    const database = await openDatabase(options)
    await migrate(database).finally(() => database.close())
    await renameDatabase(server, making, template)
  })
  return { url, template }
}

/** A connection that was just closed may count for another moment. */
async function renameDatabase(server: pg.Client, from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await server.query(`alter database ${from} rename to ${to}`)
      return
    } catch (error) {
      if (attempt === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** Removes what earlier runs left. Not at the end of a run: a forced drop kills the connections of others. */
async function sweep(server: pg.Client): Promise<void> {
  const { rows } = await server.query<{ name: string }>(
    `select datname as name from pg_database d where datname like 'loam\\_test\\_%'
     and not exists (select from pg_stat_activity a where a.datname = d.datname)`,
  )
  for (const { name } of rows) {
    const made = Number.parseInt(name.split('_')[2] ?? '', 36)
    if (Date.now() - made < LEFT_BEHIND) continue
    await server.query(`drop database if exists "${name}"`).catch(() => {})
  }
}

/** A migrated cluster, kept from run to run. Each part is renamed into place, so that two runs may make it at once. */
async function prepareSnapshot(hash: string): Promise<Origin> {
  const snapshot = join(CACHE, `cluster-${hash}.tar`)
  const cluster = join(CACHE, `cluster-${hash}`)
  if (existsSync(snapshot) && existsSync(cluster)) return { snapshot, cluster }
  await mkdir(CACHE, { recursive: true })
  for (const name of (await readdir(CACHE)).filter((own) => /^(?:cluster|making)-/.test(own))) {
    // Another run may have removed it meanwhile.
    const found = await stat(join(CACHE, name)).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > LEFT_BEHIND) await rm(join(CACHE, name), RECURSIVE)
  }
  const dir = await mkdtemp(join(CACHE, 'making-'))
  try {
    const tar = join(dir, 'cluster.tar')
    await using migrated = await openDatabase({ dir, log: silent, memory: true })
    await migrate(migrated)
    await migrated.dump(tar)
    await (await openDatabase({ dir, log: silent, snapshot: tar })).close()
    await place(tar, snapshot)
    await place(join(dir, 'cluster'), cluster)
  } finally {
    await rm(dir, RECURSIVE)
  }
  return { snapshot, cluster }
}

/** What another run has put there in the meantime is as good. */
async function place(made: string, at: string): Promise<void> {
  await rename(made, at).catch((error: unknown) => {
    if (!existsSync(at)) throw error
  })
}

function dockerAnswers(): Promise<boolean> {
  const socketPath = (process.env['DOCKER_HOST'] ?? '').replace(/^unix:\/\//, '')
  if (socketPath.startsWith('tcp:')) return Promise.resolve(true)
  return new Promise((resolve) => {
    const ping = request({ socketPath: socketPath || '/var/run/docker.sock', path: '/_ping' })
    ping.setTimeout(500, () => ping.destroy())
    ping.on('response', (answer) => resolve(answer.statusCode === 200))
    ping.on('error', () => resolve(false))
    ping.end()
  })
}

async function startContainer(): Promise<{ url: string; stop(): Promise<void> }> {
  const { GenericContainer, Wait } = await import('testcontainers')
  const started = await new GenericContainer('pgvector/pgvector:0.8.1-pg17')
    .withEnvironment({ POSTGRES_PASSWORD: 'loam', POSTGRES_DB: 'loam' })
    .withCommand(['postgres', '-c', 'max_connections=200'])
    .withExposedPorts(5432)
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start()
  const url = `postgres://postgres:loam@${started.getHost()}:${started.getMappedPort(5432)}/loam`
  return { url, stop: async () => void (await started.stop()) }
}
