import { performance } from 'node:perf_hooks'
import pg from 'pg'
import { clientConfig } from './connection.ts'
import { isLate } from './database-problem.ts'
import { invalid, unavailable } from '../kernel/refusal.ts'

export const EXTENSIONS = ['vector', 'btree_gin', 'pg_trgm', 'unaccent'] as const

const OLDEST = 15
const OLDEST_VECTOR = [0, 8] as const
const NOTIFY_DEADLINE_MS = 2_000

interface Facts {
  version: number
  encoding: string
  standby: boolean
  snapshot: string
}

interface Extension {
  name: string
  version: string
}

/** How often a connection is tried whose time this thread has used up by itself. */
const TRIES = 5

/**
 * Proves on two connections what the rest relies on, or refuses in one sentence: PostgreSQL 15,
 * the extensions, a primary, UTF-8, snapshots, and locks that exclude.
 */
export async function proveServer(config: pg.ClientConfig, at: string): Promise<void> {
  for (let tried = 1; ; tried++) {
    const before = performance.eventLoopUtilization()
    try {
      return await prove(config, at)
    } catch (error) {
      // A start reads its code meanwhile: what was answered in time may have been heard too late.
      const { utilization } = performance.eventLoopUtilization(before)
      if (!isLate(error) || utilization < 0.5 || tried === TRIES) throw error
    }
  }
}

async function prove(config: pg.ClientConfig, at: string): Promise<void> {
  const [one, two] = [new pg.Client(clientConfig(config)), new pg.Client(clientConfig(config))]
  for (const client of [one, two]) client.on('error', () => {})
  try {
    await one.connect()
    await proveFacts(one, at)
    await proveExtensions(one, at)
    await two.connect()
    await proveExclusion(one, two, at)
  } finally {
    await Promise.allSettled([one.end(), two.end()])
  }
}

async function proveFacts(client: pg.Client, at: string): Promise<void> {
  const { rows } = await client.query<Facts>(`
    select current_setting('server_version_num')::int / 10000 as version,
           current_setting('server_encoding') as encoding,
           pg_is_in_recovery() as standby,
           pg_current_snapshot()::text as snapshot`)
  const [facts] = rows
  if (!facts) throw unavailable(`the database at ${at} answers nothing`)
  if (facts.version < OLDEST)
    throw unavailable(
      `the database at ${at} is PostgreSQL ${facts.version}: use version ${OLDEST} or newer`,
    )
  if (facts.standby)
    throw invalid(`the database at ${at} is a standby: point database.url at the primary`)
  if (facts.encoding !== 'UTF8')
    throw invalid(
      `the database at ${at} is encoded as ${facts.encoding}: create one with encoding 'UTF8'`,
    )
}

async function proveExtensions(client: pg.Client, at: string): Promise<void> {
  const { rows } = await client.query<Extension>(
    `select name, coalesce(installed_version, default_version) as version
     from pg_available_extensions where name = any($1)`,
    [[...EXTENSIONS]],
  )
  const there = new Map(rows.map(({ name, version }) => [name, version]))
  const missing = EXTENSIONS.filter((name) => !there.has(name))
  if (missing.length > 0)
    throw unavailable(
      `the database at ${at} has no extension ${missing.join(', ')}: install it on the server ` +
        '(vector is the package pgvector, the others come with postgresql-contrib)',
    )
  const version = there.get('vector') ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldest, since] = OLDEST_VECTOR
  if (major < oldest || (major === oldest && minor < since))
    throw unavailable(
      `the database at ${at} has pgvector ${version}: install ${oldest}.${since} or newer, ` +
        'then run alter extension vector update',
    )
}

/** A lock that one transaction holds must be refused to another: the vault relies on it. */
async function proveExclusion(one: pg.Client, two: pg.Client, at: string): Promise<void> {
  const key = Math.floor(Math.random() * 2 ** 48)
  const attempt = async (client: pg.Client): Promise<boolean> => {
    await client.query('begin')
    const { rows } = await client.query<{ taken: boolean }>(
      'select pg_try_advisory_xact_lock($1) as taken',
      [key],
    )
    return rows[0]?.taken === true
  }
  const [first, second] = [await attempt(one), await attempt(two)]
  await Promise.all([one.query('rollback'), two.query('rollback')])
  if (!first || second)
    throw unavailable(
      `the database at ${at} does not keep advisory locks apart: use PostgreSQL itself, or a ` +
        'proxy in transaction mode',
    )
}

/** Whether a notification that one connection sends reaches another within two seconds. */
export async function hearsNotifications(
  listening: pg.ClientConfig,
  notifying: pg.ClientConfig,
): Promise<boolean> {
  const clients = [new pg.Client(clientConfig(listening)), new pg.Client(clientConfig(notifying))]
  const [one, two] = clients as [pg.Client, pg.Client]
  for (const client of clients) client.on('error', () => {})
  try {
    await Promise.all(clients.map((client) => client.connect()))
    const heard = new Promise<boolean>((resolve) => {
      one.once('notification', () => resolve(true))
      setTimeout(() => resolve(false), NOTIFY_DEADLINE_MS).unref()
    })
    await one.query('listen loam_doctor')
    await two.query('notify loam_doctor')
    return await heard
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()))
  }
}
