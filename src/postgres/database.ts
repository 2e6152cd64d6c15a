/**
 * The database: one driver over two kinds, a PostgreSQL server or the embedded one.
 *
 * Statements are unnamed and settings are `set local`: no state outlives a transaction, so a proxy
 * in transaction mode may stand between, and the embedded database may share its one session.
 */
import { join } from 'node:path'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Logger } from 'pino'
import { clientConfig, dialect, pipelined } from './connection.ts'
import { awayBecause, startProblem } from './database-problem.ts'
import type { Address } from './database-problem.ts'
import { keepLog } from './embedded/checkpoints.ts'
import { openEmbedded } from './embedded/embedded.ts'
import type { Embedded } from './embedded/embedded.ts'
import { keepTidy } from './embedded/maintenance.ts'
import type { Db } from '../kernel/kernel.ts'
import type { Leads } from '../kernel/held.ts'
import { openListener } from './listener.ts'
import type { OnWake } from './listener.ts'
import { lockStore } from './locks.ts'
import { Refusal, invalid, unavailable } from '../kernel/refusal.ts'
import { proveServer } from './start-proof.ts'
import type { Tables } from './tables.ts'

export interface DatabaseOptions {
  /** A PostgreSQL server; without it the embedded database is used. */
  url?: string
  /** A way to the server that passes notifications on, when `url` leads through a proxy. */
  listenUrl?: string
  /** Connections at most. The embedded database has eight that take turns. */
  pool?: number
  /** Where the embedded database lives: `<data_dir>/db`. */
  dir: string
  log: Logger
  /** The embedded database in memory, gone at the end. */
  memory?: boolean
  /** What an embedded database that is built from files lacks, for people. */
  notInFiles?: string
  /** A tar of a cluster from which a new embedded database begins. */
  snapshot?: string
  /** For one statement on the embedded database. */
  statementLimitMs?: number
  /** An embedded database that is open already. It is closed together with this one. */
  engine?: Embedded
  /** Called when what remains is done by another thread or another machine. */
  begun?: () => void
}

/** What the last look at the database found. */
export interface Health {
  ok: boolean
  /** Since that look. */
  ageMs: number
  /** Why it does not answer; '' while it does. */
  cause: string
}

export interface Database extends AsyncDisposable {
  db: Db
  kind: 'embedded' | 'server'
  /** Connections at most. */
  pool: number
  /** Never waits: returns the last look, which is at most five seconds old. */
  health(): Health
  /** Calls `onWake` when something may have happened on the channel. Dispose to stop. */
  listen(channel: string, onWake: OnWake): Disposable
  /**
   * Resolves when the directory of the embedded database was moved, removed or replaced. Nothing more is
   * written then, and every statement finds a lost connection.
   */
  displaced: Promise<Leads>
  /** Looks whether it still stands where it stood. */
  stands(): Promise<boolean>
  /** Whether notifications arrive at the moment. */
  listening(): boolean
  /**
   * How often what calls begin with has changed: connections, sessions, projects, switches. No change is acknowledged
   * before it counts. Null: other processes may change it, and say nothing.
   */
  callersChanged(): number | null
  /** Lifts the limit on statements while `work` runs: migrations, reindexing. */
  unhurried<T>(work: () => Promise<T>): Promise<T>
  /** Writes the embedded database as a tar, from which another can begin. */
  dump(file: string): Promise<void>
  close(): Promise<void>
}

const LOOK_INTERVAL_MS = 3_000
/** A look that has been waiting for longer than a statement may take. */
const LATE_MS = 9_000
const POOL = 8
/** A server has no directory here. */
const NEVER = new Promise<never>(() => {})

/** What the two kinds differ in. */
interface Engine {
  kind: Database['kind']
  config: pg.ClientConfig
  listenConfig: pg.ClientConfig
  embedded: Embedded | null
  close(): Promise<void>
}

/**
 * No statement is long enough to be worth compiling, which a server does by what it expects of it. What fails here, the
 * connection's first statement meets as well.
 */
function withoutCompiling(client: pg.PoolClient): void {
  client.query('set jit = off').catch(() => {})
}

/** Opens the database, or refuses in one sentence that says what to do. Nothing is migrated here. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { log, pool: max = POOL } = options
  const engine = options.url
    ? await reachServer(options.url, options)
    : await startEmbedded(options)
  const { kind, embedded } = engine
  let relaxed = 0

  const pool = new pg.Pool({ ...clientConfig(engine.config), max, idleTimeoutMillis: 60_000 })
  pool.on('error', (cause) => log.warn({ cause: cause.message }, 'a database connection was lost'))
  if (kind === 'server') pool.on('connect', withoutCompiling)
  const db: Db = pipelined(
    new Kysely<Tables>({
      dialect: dialect(pool, { unlimited: () => relaxed > 0, bounded: kind === 'server' }),
    }),
  )

  const listener = openListener({
    config: () => engine.listenConfig,
    notify: async (channel) => void (await sql`select pg_notify(${channel}, '')`.execute(db)),
    log,
  })
  const looks = lookAfter(db, log)
  const upkeep = embedded ? [keepTidy(db, embedded, log), keepLog(db, embedded, log)] : []

  async function unhurried<T>(work: () => Promise<T>): Promise<T> {
    relaxed++
    try {
      return await (embedded ? embedded.unhurried(work) : work())
    } finally {
      relaxed--
    }
  }

  async function dump(file: string): Promise<void> {
    if (!embedded) throw invalid('only the embedded database can be dumped so; use pg_dump')
    await unhurried(() => embedded.dump(file))
  }

  let closed: Promise<void> | undefined
  async function end(): Promise<void> {
    looks.stop()
    await Promise.all(upkeep.map((each) => each.stop()))
    await listener.close()
    await pool.end()
    await engine.close()
  }
  const close = (): Promise<void> => (closed ??= end())

  return {
    db,
    kind,
    pool: max,
    health: looks.health,
    listen: listener.listen,
    displaced: embedded?.displaced ?? NEVER,
    stands: async () => embedded?.stands() ?? true,
    listening: listener.listening,
    callersChanged: () => embedded?.changes() ?? null,
    unhurried,
    dump,
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function startEmbedded(options: DatabaseOptions): Promise<Engine> {
  const { dir, log, memory = false, snapshot, notInFiles, statementLimitMs, engine } = options
  const { begun } = options
  const lock = memory || engine ? null : await lockStore(dir)
  try {
    const embedded =
      engine ??
      (await openEmbedded({
        cluster: lock && {
          name: join(dir, 'cluster'),
          at: join(lock.folder.root, 'cluster'),
        },
        log,
        ...(begun && { begun }),
        ...(notInFiles && { notInFiles }),
        ...(snapshot && { snapshot }),
        ...(statementLimitMs && { statementLimitMs }),
      }))
    const config = {
      stream: embedded.stream,
      host: 'embedded',
      user: 'loam',
      password: '',
      database: 'loam',
      ssl: false,
    }
    const close = async (): Promise<void> => {
      await embedded.close()
      await lock?.release()
    }
    return { kind: 'embedded', config, listenConfig: config, embedded, close }
  } catch (cause) {
    await lock?.release()
    throw cause
  }
}

async function reachServer(
  url: string,
  { listenUrl = url, begun }: DatabaseOptions,
): Promise<Engine> {
  const address = addressOf(url, 'database.url')
  addressOf(listenUrl, 'database.listen_url')
  const config = { connectionString: url }
  try {
    const proof = proveServer(config, address.at)
    begun?.()
    await proof
  } catch (cause) {
    throw cause instanceof Refusal ? cause : unavailable(startProblem(cause, address), cause)
  }
  const listenConfig = { connectionString: listenUrl }
  return { kind: 'server', config, listenConfig, embedded: null, close: async () => {} }
}

function addressOf(url: string, key: string): Address {
  const parsed = URL.parse(url)
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw invalid(
      `${key}: it is not the address of a PostgreSQL database; ` +
        'it looks like postgres://user:password@host:5432/name (the value is not shown)',
    )
  const socket = parsed.searchParams.get('host') ?? ''
  const user = decoded(parsed.username)
  return {
    at: parsed.hostname ? `${parsed.hostname}:${parsed.port || 5432}` : socket,
    user,
    name: decoded(parsed.pathname.slice(1)) || user,
  }
}

/** A "%" that stands for itself is read so by the driver too. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Looks at the database in the background, so that nobody who asks how it is has to wait. */
function lookAfter(db: Db, log: Logger): { health(): Health; stop(): void } {
  let last = { ok: true, at: performance.now(), cause: '' }
  let looking = false

  const found = (ok: boolean, cause: string): void => {
    if (ok !== last.ok) {
      if (ok) log.info('the database answers again')
      else log.error({ cause }, 'the database does not answer')
    }
    last = { ok, at: performance.now(), cause }
  }
  const look = async (): Promise<void> => {
    // One look at a time; a late one counts as a bad one in the meantime.
    if (looking) return
    looking = true
    try {
      await sql`select 1`.execute(db)
      found(true, '')
    } catch (error) {
      found(false, awayBecause(error) ?? 'the database answers with an error')
    } finally {
      looking = false
    }
  }
  const timer = setInterval(() => void look(), LOOK_INTERVAL_MS).unref()
  const health = (): Health => {
    const ageMs = Math.round(performance.now() - last.at)
    if (ageMs < LATE_MS) return { ok: last.ok, ageMs, cause: last.cause }
    return { ok: false, ageMs, cause: last.cause || 'the database does not answer' }
  }
  return { health, stop: () => clearInterval(timer) }
}
