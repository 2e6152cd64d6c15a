/** How this service talks to PostgreSQL: the pool, its types, and the limit on each statement. */
import type { Writable } from 'node:stream'
import { PostgresDialect, type Kysely } from 'kysely'
import pg from 'pg'

/** When a statement is given up: just above the server's own statement_timeout. */
const STATEMENT_DEADLINE_MS = 5_500
const CONNECT_DEADLINE_MS = 4_000

const [INT8, DATE, INT8_ARRAY] = [20, 1082, 1016]
const toNumbers = (text: string): number[] =>
  text.slice(1, -1).split(',').filter(Boolean).map(Number)

/** This pool's own reading of types: the driver's registry is shared by everyone in the process. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') => {
    if (oid === INT8) return Number
    if (oid === INT8_ARRAY) return toNumbers
    // A day has no time zone; the driver would make it midnight here.
    if (oid === DATE) return String
    return pg.types.getTypeParser(oid, format)
  }) as pg.CustomTypesConfig['getTypeParser'],
}

/** The isolation that a transaction with bounded waits names at its beginning; it is the usual one. */
export const BOUNDED = 'read committed'
const BEGIN_BOUNDED = `start transaction isolation level ${BOUNDED}`
/** Sent with the beginning, as one message. `set local`: nothing outlives the transaction, which PgBouncer needs too. */
const BOUNDS = `
  set local lock_timeout = '3s';
  set local statement_timeout = '5s';
  set local idle_in_transaction_session_timeout = '15s'`

/** Of a statement after another one of its transaction failed. */
const IN_FAILED_TRANSACTION = '25P02'

/** What is answered for a beginning that is still under way. */
const NOTHING = { rows: [], rowCount: null } as unknown as pg.QueryResult

/** What every connection has in common, of the pool or not. */
export const clientConfig = (config: pg.ClientConfig): pg.ClientConfig => ({
  application_name: 'loam',
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
  connectionTimeoutMillis: CONNECT_DEADLINE_MS,
  // Statements that are started together are pipelined, and still answered one after the other.
  pipeline: true,
  ...config,
  types,
})

/** Whether statements are without a limit at the moment: migrations and maintenance. */
export type Unlimited = () => boolean

type Query = (sql: string, parameters: readonly unknown[]) => Promise<pg.QueryResult>

const streamOf = (client: pg.ClientBase): Writable =>
  (client as unknown as { connection: { stream: Writable } }).connection.stream

/**
 * What is asked of a server in one turn goes there as one piece: by itself each statement would be a call of the system,
 * and wake the other side.
 */
function gather(client: pg.ClientBase): void {
  const stream = streamOf(client)
  if (stream.writableCorked > 0) return
  stream.cork()
  queueMicrotask(() => process.nextTick(() => stream.uncork()))
}

/** Cuts a connection that has not answered in time: it may be half open, and its next user would wait too. */
export async function withDeadline<T>(
  client: pg.ClientBase,
  work: Promise<T>,
  deadlineMs: number,
): Promise<T> {
  const cut = (): void => {
    streamOf(client).destroy(new Error('the database did not answer in time'))
  }
  const timer = setTimeout(cut, deadlineMs)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Pipelines the statements of a transaction that are started together, as the pool does. Kysely
 * itself sends the next statement when the last one is answered.
 */
export function pipelined<Tables>(db: Kysely<Tables>): Kysely<Tables> {
  const executor = db.getExecutor()
  const withProvider = executor.withConnectionProvider.bind(executor)
  executor.withConnectionProvider = (provider) => {
    const connection = provider.provideConnection(async (connection) => connection)
    return withProvider({ provideConnection: async (consumer) => consumer(await connection) })
  }
  return db
}

/**
 * Kysely's way to the pool. Each statement ends in time, with an answer or with a lost connection.
 *
 * @param bounded whether the database takes the bounds of a transaction; the embedded one knows none, and
 *   its thread is watched
 */
export function dialect(
  pool: pg.Pool,
  { unlimited, bounded }: { unlimited: Unlimited; bounded: boolean },
): PostgresDialect {
  const connect = async (): Promise<{ query: Query; release(destroy?: boolean): void }> => {
    const client = await pool.connect()
    // Without a listener, a connection that is lost between two statements would end the process.
    const ignore = (): void => {}
    client.on('error', ignore)
    const run: Query = (sql, parameters) => {
      if (bounded) gather(client)
      const work = client.query(sql, [...parameters])
      return unlimited() ? work : withDeadline(client, work, STATEMENT_DEADLINE_MS)
    }
    let begun: Promise<unknown> | undefined
    let over = false
    let failed: unknown
    const query: Query = async (sql, parameters) => {
      // When one of several pipelined statements fails, a later one would run outside the transaction.
      // A failed commit still needs its rollback.
      if (over && sql !== 'rollback') throw new Error('the transaction is over')
      over ||= sql === 'commit' || sql === 'rollback'
      if (sql === BEGIN_BOUNDED) {
        // BEGIN is not awaited: it is pipelined with the first statement, which fails together with it.
        begun = run(bounded ? `${sql};${BOUNDS}` : sql, parameters)
        begun.catch(ignore)
        return NOTHING
      }
      const before = begun
      begun = undefined
      try {
        const [result] = await Promise.all([run(sql, parameters), before])
        return result
      } catch (error) {
        // Statements pipelined with a failed one fail too. The cause is the error of the first one.
        const { code } = error as { code?: unknown }
        failed = (code === IN_FAILED_TRANSACTION && failed) || error
        throw failed
      }
    }
    const release = (destroy?: boolean): void => {
      client.off('error', ignore)
      client.release(destroy)
    }
    return { query, release }
  }
  return new PostgresDialect({
    pool: { connect, end: () => pool.end(), options: {} } as unknown as pg.Pool,
  })
}
