/** A migrated database of its own for each caller, on whichever of the three kinds the run uses. */
import { createHash, randomBytes } from 'node:crypto'
import { cpSync, existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Logger } from 'pino'
import { openDatabase } from '../../src/postgres/database.ts'
import type { Database, DatabaseOptions } from '../../src/postgres/database.ts'
import { KeyedMutex } from '../../src/kernel/keyed-mutex.ts'
import { borrowEngine } from './engines.ts'
import { onServer, testOrigin, withServer } from './postgres.ts'

export interface TestDatabaseOptions {
  /**
   * A data directory that is opened more than once: the same directory is the same database, also
   * in another process. Left out: a database that is gone when it is closed.
   */
  onDisk?: string
  /** Without a schema, for the tests of the migrations themselves. */
  empty?: boolean
  /** Connections at most; default LOAM_DATABASE_POOL, else what the service takes. */
  pool?: number
  /** Milliseconds a statement may take on the embedded database. */
  statementLimitMs?: number
  log?: Logger
}

/**
 * Opens a migrated database that belongs to the caller alone. Close it.
 *
 * An embedded one in memory runs on an engine that an earlier caller may have used and left empty.
 */
export async function openTestDatabase(options: TestDatabaseOptions = {}): Promise<Database> {
  const { onDisk, empty, statementLimitMs } = options
  if (onDisk && !empty) await seedCluster(onDisk)
  const to = await testDatabase(options)
  if (!to.snapshot || !to.memory || statementLimitMs) return openDatabase(to)
  return openDatabase({ ...to, engine: await borrowEngine(to.snapshot) })
}

/**
 * Puts a migrated cluster into a data directory that has no database yet. Nothing to do on a server.
 * A copy of files is much cheaper than a cluster that the engine makes from a tar.
 */
export async function seedCluster(dataDir: string): Promise<void> {
  const origin = await testOrigin()
  const dir = join(dataDir, 'db')
  const cluster = join(dir, 'cluster')
  if (!('cluster' in origin) || existsSync(cluster)) return
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const copy = `${cluster}.copy-${process.pid}`
  cpSync(origin.cluster, copy, { recursive: true })
  await rename(copy, cluster)
}

/** What to open for such a database: for a process of its own, or for the whole service. */
export async function testDatabase(options: TestDatabaseOptions = {}): Promise<DatabaseOptions> {
  const { onDisk, empty = false, log = pino({ level: 'silent' }), statementLimitMs } = options
  const pool = options.pool ?? Number(process.env['LOAM_DATABASE_POOL'] || 0)
  const common = {
    log,
    dir: onDisk ? `${onDisk}/db` : tmpdir(),
    ...(pool && { pool }),
    ...(statementLimitMs && { statementLimitMs }),
  }
  const origin = await testOrigin()
  if ('snapshot' in origin) {
    return { ...common, ...(!empty && { snapshot: origin.snapshot }), memory: !onDisk }
  }
  const own = onDisk
    ? createHash('sha256').update(onDisk).digest('hex').slice(0, 16)
    : randomBytes(8).toString('hex')
  const template = empty ? 'template1' : origin.template
  return { ...common, url: await cloneOf(origin.url, template, own, onDisk !== undefined) }
}

/** Two who ask for the database of one directory at the same time are given the same one. */
const mutex = new KeyedMutex()

/** A copy of the template; with `again` the copy of that name made before, if there is one. */
const cloneOf = (url: string, template: string, own: string, again: boolean): Promise<string> =>
  mutex.run([own], () =>
    withServer(url, async (server) => {
      const { rows } = await server.query<{ name: string }>(
        'select datname as name from pg_database where datname like $1',
        [`loam\\_test\\_%\\_${own}`],
      )
      const [made] = again ? rows : []
      // Its age stands in its name, for the run that sweeps it away.
      const name = made?.name ?? `loam_test_${Date.now().toString(36)}_${own}`
      if (!made) await server.query(`create database ${name} template ${template}`)
      return onServer(url, name)
    }),
  )
