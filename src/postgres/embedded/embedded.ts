/**
 * The embedded database: PGlite in a thread of its own, reached through streams that `pg` takes for
 * sockets.
 *
 * The engine knows no time limit, so a thread that is stuck on one statement is ended and opened
 * again: what was acknowledged is on disk, and every connection sees a lost server.
 */
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import type { Leads } from '../../kernel/held.ts'
import { unavailable } from '../../kernel/refusal.ts'
import { holdCluster, type Ground, type Place } from './ground.ts'
import { freeBytes, openProblem } from './problem.ts'
import type { FromDatabase, Setup, ToDatabase } from './protocol.ts'
import { openStream } from './stream.ts'

export interface EmbeddedOptions {
  /** Made when missing; null: in memory, gone at the end. */
  cluster: Place | null
  /** What a database that is built from files lacks, for people. */
  notInFiles?: string
  /** A tar of a cluster to begin with where there is none yet. */
  snapshot?: string
  log: Logger
  /** For one statement. What takes longer ends all connections. */
  statementLimitMs?: number
  /** For a transaction that lies open without a statement. */
  idleInTransactionMs?: number
  /** Called when its thread has been begun. */
  begun?: () => void
}

export interface Embedded {
  /** A new connection, for one `pg` client. */
  stream(): Duplex
  /** Lifts the statement limit while `work` runs: migrations, maintenance. */
  unhurried<T>(work: () => Promise<T>): Promise<T>
  /**
   * Resolves when the cluster's name no longer leads to it. The thread has been ended by then, as by a
   * kill, and nothing was written into what the name leads to.
   */
  displaced: Promise<Leads>
  /** Looks whether the cluster's name still leads to it. */
  stands(): Promise<boolean>
  /** Milliseconds that all statements took, of which those that still run are none. */
  workedMs(): number
  /** How often what calls begin with has changed, as `callers_changed` says. No change is acknowledged before. */
  changes(): number
  /** Whether a statement runs at this moment. */
  isAtWork(): boolean
  /** Bytes that are known to be free where the cluster lies; none in memory. */
  room(): Promise<number>
  /** Writes the whole cluster as a tar. One at a time. */
  dump(file: string): Promise<void>
  /** Checkpoints and ends the thread. */
  close(): Promise<void>
}

/** One life of the thread. */
interface Life {
  worker: Worker
  ready: Promise<void>
}

/** With the default limit a stuck statement ends, in a lost connection, before five seconds are over. */
const WATCH_INTERVAL_MS = 250
const RETRY_MS = 1_000
/** How often the name of the cluster is looked at while nothing is written. */
const LOOK_INTERVAL_MS = 1_000

const MOVED = 'its directory was moved, removed or replaced'

/** A lost connection, as `pg` and its callers know it from a server. */
const lost = (reason: string): Error =>
  Object.assign(new Error(`the embedded database was closed: ${reason}`), { code: 'ECONNRESET' })

export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const { cluster, snapshot = null, log, notInFiles = 'the rest' } = options
  const { statementLimitMs = 4_200, idleInTransactionMs = 15_000 } = options
  const turns = new Int32Array(new SharedArrayBuffer(4))
  const worked = new BigInt64Array(new SharedArrayBuffer(8))
  const changes = new Int32Array(new SharedArrayBuffer(4))
  const setup: Setup = {
    cluster,
    snapshot,
    turns: turns.buffer as SharedArrayBuffer,
    worked: worked.buffer as SharedArrayBuffer,
    changes: changes.buffer as SharedArrayBuffer,
    idleInTransactionMs,
  }
  const streams = new Map<number, Duplex>()
  let connections = 0
  let relaxed = 0
  let opened = false
  let closing = false
  /** The thread that was begun last, though it may not be open yet. None outlives the folder that is held. */
  let newest: Worker | undefined
  /** The cluster as it was opened first; null: none yet, or in memory. */
  let ground: Ground | null = null
  const { promise: displaced, resolve: displace } = Promise.withResolvers<Leads>()

  function begin(): Life {
    Atomics.store(turns, 0, 0)
    // The one before may have ended between a change and the word of it.
    Atomics.add(changes, 0, 1)
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: setup })
    newest = worker
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
    ready.catch(() => {})
    let [reason, said] = ['its thread ended', 'its thread ended']
    worker.on('message', (message: FromDatabase) => {
      if (message.say === 'bytes') {
        const { buffer, byteOffset, byteLength } = message.bytes
        streams.get(message.connection)?.push(Buffer.from(buffer, byteOffset, byteLength))
      } else if (message.say === 'gone') streams.get(message.connection)?.push(null)
      else if (message.say === 'ready') {
        if (standsOn(message.identity)) return resolve()
        said = MOVED
        leave('elsewhere', worker)
      } else if (message.say === 'displaced') {
        said = MOVED
        leave(message.leads, worker)
      } else if (message.say === 'failed') {
        reason = message.reason
        said = `${message.reason}\n${message.cause}`
        log.error({ cause: message.cause }, 'the embedded database failed')
      }
    })
    worker.on('error', (cause) => {
      said = String(cause)
      log.error({ err: cause }, 'the embedded database failed')
    })
    worker.on('exit', (code) => {
      log.debug({ code, said }, 'the thread of the embedded database ended')
      unopened(said).then(reject, reject)
      // What never opened is told to whoever starts it.
      if (life === own && opened && !closing) restart(reason)
    })
    const own: Life = { worker, ready }
    return own
  }

  async function unopened(said: string): Promise<Error> {
    const problem = cluster ? await openProblem({ cluster: cluster.name, said, notInFiles }) : said
    return unavailable(
      `the embedded database${cluster ? ` in ${cluster.name}` : ''} cannot be used: ${problem}`,
    )
  }

  /** Whether this is the cluster that was opened first. It is held from then on. */
  function standsOn(identity: string | null): boolean {
    try {
      if (cluster) ground ??= holdCluster(cluster)
      return (ground?.identity ?? null) === identity
    } catch {
      return false
    }
  }

  /** Ends the thread as a kill would: what it would still write belongs to a store that nobody finds. */
  function leave(leads: Leads, worker = life.worker): void {
    if (closing) return
    closing = true
    stopWatching()
    const ready = Promise.reject(lost(MOVED))
    ready.catch(() => {})
    life = { worker, ready }
    for (const stream of streams.values()) stream.destroy(lost(MOVED))
    void Promise.all([worker.terminate(), newest?.terminate()]).then(() => displace(leads))
  }

  async function stands(): Promise<boolean> {
    const leads = (await ground?.leads()) ?? 'here'
    if (leads !== 'here') leave(leads)
    return leads === 'here'
  }

  /** Ends every connection and opens the database again, until it opens or is closed. */
  function restart(reason: string): void {
    const ended = life
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
    ready.catch(() => {})
    life = { worker: ended.worker, ready }
    for (const stream of streams.values()) stream.destroy(lost(reason))
    const reopen = async (): Promise<void> => {
      await ended.worker.terminate()
      if (!cluster) throw lost('it was held in memory')
      for (;;) {
        if (closing) throw lost('it is closing')
        const next = begin()
        try {
          await next.ready
          life = next
          return log.warn('the embedded database is open again')
        } catch (cause) {
          log.error({ err: cause }, 'the embedded database did not open; trying again')
          await sleep(RETRY_MS)
        }
      }
    }
    reopen().then(resolve, reject)
  }

  /**
   * Notices a statement that runs for too long. Looks are counted instead of time: a machine that is too
   * busy to look, or was paused, has not run the statement either.
   */
  function watch(): void {
    const turn = Atomics.load(turns, 0)
    if (turn !== seen.turn || turn % 2 === 0 || relaxed > 0) {
      seen = { turn, looks: 0 }
    } else if (++seen.looks * WATCH_INTERVAL_MS > statementLimitMs) {
      seen = { turn: 0, looks: 0 }
      log.error(
        { limit_ms: statementLimitMs },
        'a statement took too long; reopening the embedded database',
      )
      restart('a statement took too long')
    }
  }

  function stream(): Duplex {
    const id = ++connections
    const { worker, ready } = life
    const post = (message: ToDatabase, handed: ArrayBuffer[] = []): void =>
      life.worker.postMessage(message, handed)
    const opened = openStream({
      ready,
      send: (bytes) => post({ say: 'bytes', connection: id, bytes }, [bytes.buffer]),
      gone: () => {
        streams.delete(id)
        if (life.worker === worker) post({ say: 'gone', connection: id })
      },
    })
    streams.set(id, opened)
    return opened
  }

  async function unhurried<T>(work: () => Promise<T>): Promise<T> {
    relaxed++
    try {
      return await work()
    } finally {
      relaxed--
    }
  }

  async function room(): Promise<number> {
    const free = ground ? await freeBytes(ground.root) : 0
    return Number.isFinite(free) ? free : 0
  }

  function dump(file: string): Promise<void> {
    const { worker } = life
    return new Promise((resolve, reject) => {
      const finish = (problem: string | null): void => {
        worker.off('message', hear)
        worker.off('exit', fail)
        if (problem === null) resolve()
        else reject(new Error(`the embedded database was not dumped: ${problem}`))
      }
      const hear = (message: FromDatabase): void => {
        if (message.say === 'dumped') finish(message.problem)
      }
      const fail = (): void => finish('it was closed')
      worker.on('message', hear)
      worker.on('exit', fail)
      worker.postMessage({ say: 'dump', file } satisfies ToDatabase)
    })
  }

  async function close(): Promise<void> {
    if (closing) return ground?.close()
    closing = true
    stopWatching()
    const ended = new Promise((resolve) => life.worker.once('exit', resolve))
    life.worker.postMessage({ say: 'close' } satisfies ToDatabase)
    await Promise.race([ended, sleep(10_000, undefined, { ref: false })])
    await Promise.all([life.worker.terminate(), newest?.terminate()])
    ground?.close()
  }

  let seen = { turn: 0, looks: 0 }
  let life = begin()
  options.begun?.()
  const watchers = [
    setInterval(watch, WATCH_INTERVAL_MS).unref(),
    setInterval(() => void stands(), LOOK_INTERVAL_MS).unref(),
  ]
  const stopWatching = (): void => watchers.forEach((each) => clearInterval(each))
  try {
    await life.ready
    opened = true
  } catch (cause) {
    closing = true
    stopWatching()
    throw cause
  }
  return {
    stream,
    unhurried,
    displaced,
    stands,
    workedMs: () => Number(Atomics.load(worked, 0)) / 1e6,
    changes: () => Atomics.load(changes, 0),
    isAtWork: () => Atomics.load(turns, 0) % 2 === 1,
    room,
    dump,
    close,
  }
}
