/** Puts the house together. The program and the tests call the same function. */
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { openChat } from './chat/chat.ts'
import type { Config, Settings } from './config.ts'
import { fileKinds } from './file-kinds.ts'
import { consoleGate, doorOf } from './console/auth/gate.ts'
import { ownerConsole } from './console/console.ts'
import type { Screen } from './console/screen.ts'
import { screens } from './console/screens.ts'
import { openEmbedder } from './embeddings/embeddings.ts'
import { hookEndpoints, HOOKS } from './hooks/hooks.ts'
import { requireKey } from './http/auth.ts'
import { answerErrors } from './http/errors.ts'
import { healthz } from './http/healthz.ts'
import { checkHosts } from './http/hosts.ts'
import { logLag } from './http/lag.ts'
import { lingerOnLargeBodies } from './http/linger.ts'
import { dropUnusedConnections } from './http/unused.ts'
import { WrongKeys } from './http/wrong-keys.ts'
import { BatchingTelemetry } from './kernel/batching-telemetry.ts'
import { readBuild } from './kernel/build.ts'
import type { Leads } from './kernel/held.ts'
import { systemClock, type Clock } from './kernel/clock.ts'
import type { Database } from './postgres/database.ts'
import { LogFeed, forgetForeignTransactions } from './postgres/feed.ts'
import { LogFollowers } from './postgres/followers.ts'
import { FEATURES_CHANNEL, featuresOn } from './features/features.ts'
import { noFailpoint, type Failpoint } from './kernel/failpoint.ts'
import { migrate } from './postgres/migrate.ts'
import type { SinceBoot } from './postgres/since-boot.ts'
import { keepSteady, type SteadyClock } from './postgres/steady-clock.ts'
import { openNetwork, type Network } from './kernel/network.ts'
import { unavailable } from './kernel/refusal.ts'
import { once } from './kernel/once.ts'
import { Pace } from './kernel/pace.ts'
import { VaultCatchUp, type Progress } from './vault/catch-up.ts'
import { openVault, type VaultKernel } from './vault/vault.ts'
import { reconcile } from './vault/reconcile.ts'
import { assertAdopted } from './vault/store-id.ts'
import { VaultWatcher } from './vault/watch.ts'
import { catalog } from './mcp/catalog.ts'
import type { Tool } from './mcp/tool.ts'
import { mcpEndpoint, noWellKnown } from './mcp/endpoint.ts'
import { projectFileKind } from './projects/projects.ts'
import { followers } from './followers.ts'
import { reactions } from './reactions.ts'
import { isNoneActive } from './sessions/sessions.ts'
import { NOT_IN_FILES, openStoreDatabase } from './store-database.ts'
import { startTimers } from './timers.ts'
import { tellStatistics } from './usage/usage.ts'

export interface App {
  /** Not listening yet. */
  app: FastifyInstance
  kernel: VaultKernel
  database: Database
  /** Resolves when the rows have caught up with the files that were found at the start. */
  caughtUp: Promise<void>
  /** How far the rows are behind the files. Never waits. */
  progress(): Progress
  /**
   * Resolves when the data directory no longer stands where it stood: nothing more can be kept then, and
   * nothing is written into what stands there now.
   */
  displaced: Promise<Leads>
  /** Finishes what is in flight and closes everything. Safe to call twice. */
  close(): Promise<void>
}

export interface AppOptions {
  log: Logger
  clock?: Clock
  failpoint?: Failpoint
  /** Where the configuration was read, for the settings of the console. */
  configured?: Pick<Settings, 'origins' | 'file'>
  /** A world of a test's own; the network when left out. */
  network?: Network
  /** Beside the catalogue's own; tests bring tools that do nothing. */
  tools?: readonly Tool[]
  /** Beside the console's own; tests bring screens of made-up nouns. */
  screens?: readonly Screen[]
  /** Already open; closed with the app. */
  database?: Database
  /** Counts the wrong keys of the last minute; tests bring one with a clock of their own. */
  wrongKeys?: WrongKeys
  /** Refuses a database that is not yet the one of the data directory, rather than making it so. */
  mustStand?: boolean
  /** How long the machine has been running; tests bring one that starts anew. */
  machine?: SinceBoot
  /** Multiplies the deadlines of hooks: tests do not depend on the speed of a machine. */
  deadlineFactor?: number
}

/**
 * Opens the database and the data directory and registers every route.
 *
 * Throws a Refusal, in words for the person who starts it, when either cannot serve.
 */
export async function buildApp(config: Config, options: AppOptions): Promise<App> {
  const { log } = options
  const database = options.database ?? (await openStoreDatabase(config, log))
  const closers: (() => unknown)[] = [() => database.close()]
  const close = once(async () => {
    for (const each of closers.toReversed()) await each()
  })
  try {
    if (options.mustStand) await assertAdopted(database.db, config.data_dir)
    await migrate(database, { log })
    await forgetForeignTransactions(database)
    const catchUp = new VaultCatchUp({ shared: database.kind === 'server' })
    const kernel = await openKernel(config, options, database, catchUp)
    closers.push(
      () => kernel.vault.close(),
      () => kernel.telemetry.close(),
      () => kernel.feed.close(),
      () => kernel.followers.close(),
    )

    const steadyClock = await keepSteady(kernel, {
      alone: database.kind === 'embedded',
      machine: options.machine,
      isQuiet: isNoneActive,
    })
    closers.push(() => steadyClock.stop())

    if (kernel.vault.isAnew) log.warn({ data_dir: config.data_dir }, FROM_FILES_ALONE)
    // Before anything is served: what a crash or an absent database left, and who may see what.
    await catchUp.settle(kernel)
    await reconcile(kernel, { fileKind: projectFileKind })
    await kernel.followers.start(kernel)

    const stopTimers = startTimers(kernel)
    closers.push(stopTimers)
    const watcher = new VaultWatcher(kernel)
    closers.push(() => watcher.close())
    const caughtUp = follow(kernel, watcher, catchUp)
    closers.push(
      () => caughtUp,
      () => catchUp.close(),
    )

    const app = await buildRoutes(kernel, { database, steadyClock, catchUp }, options)
    // What reaches out ends first: the calls that wait for it are answered before the routes close.
    closers.push(
      () => app.close(),
      () => kernel.network.close(),
      () => kernel.embedder.close(),
      () => kernel.chat.close(),
    )
    const displaced = Promise.race([database.displaced, kernel.vault.displaced])
    const progress = (): Progress => catchUp.progress
    return { app, kernel, database, caughtUp, progress, displaced, close }
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

/** Said before it is done. */
const FROM_FILES_ALONE =
  'the database of this store is new, and its rows are now built from the files. That does not bring back ' +
  `${NOT_IN_FILES}, which no file holds. When the old database or a backup of it is still there, stop the ` +
  'service now and put it back'

/** With what is closed together with the app. */
type OwnKernel = VaultKernel & {
  telemetry: BatchingTelemetry
  feed: LogFeed
  followers: LogFollowers
}

async function openKernel(
  config: Config,
  { log, clock = systemClock, failpoint = noFailpoint, network = openNetwork() }: AppOptions,
  database: Database,
  catchUp: VaultCatchUp,
): Promise<OwnKernel> {
  const { db, pool, kind, stands } = database
  const vault = await openVault({
    db,
    dir: config.data_dir,
    fileKinds,
    now: clock.now(),
    // The embedded database does one transaction at a time: a second one would only stand before reads.
    writers: kind === 'embedded' ? 1 : Math.floor(pool / 2),
    inTurns: kind === 'embedded',
    stands,
  })
  const pace = new Pace()
  const telemetry = new BatchingTelemetry({
    ...{ db, clock, log, count: tellStatistics },
    isAnswering: () => pace.isAnswering,
  })
  const feed = new LogFeed({ database, storeId: vault.storeId, log })
  const embedder = await openEmbedder({ db, config, log })
  const chat = openChat({ config, log })
  return {
    db,
    clock,
    log,
    config,
    vault,
    catchUp,
    telemetry,
    feed,
    followers: new LogFollowers({ database, followers, ...SWITCHES }),
    network,
    embedder,
    chat,
    reactions,
    pace,
    failpoint,
  }
}

/** Followers go by the names of the features to which they belong. */
const SWITCHES = { switchedOn: featuresOn, channel: FEATURES_CHANNEL }

/** In the background: a start does not wait for it, and what failed is tried again. */
async function follow(
  kernel: VaultKernel,
  watcher: VaultWatcher,
  catchUp: VaultCatchUp,
): Promise<void> {
  await watcher
    .start()
    .catch((error: unknown) => kernel.log.error({ err: error }, 'the files are not watched'))
  await catchUp.start(kernel)
}

async function buildRoutes(
  kernel: VaultKernel,
  {
    database,
    steadyClock,
    catchUp,
  }: { database: Database; steadyClock: SteadyClock; catchUp: VaultCatchUp },
  options: AppOptions,
): Promise<FastifyInstance> {
  const { config, log } = kernel
  const build = readBuild()
  const tools = [...catalog, ...(options.tools ?? [])]
  const progress = () => catchUp.progress
  const storage = async (): Promise<void> => {
    await kernel.vault.assertPresent()
    kernel.vault.folders.assertNoneMissing()
    if (kernel.vault.health.cause !== null) throw unavailable(kernel.vault.health.cause)
  }
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    // The addresses and the times of requests belong in the log of the proxy before us.
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: 'idle',
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 120_000,
    http: { headersTimeout: 5_000, maxHeaderSize: 64 * 1024 },
  })
  logLag(app, log)
  answerErrors(app)
  lingerOnLargeBodies(app)
  dropUnusedConnections(app)
  checkHosts(app, config)
  const { wrongKeys = new WrongKeys() } = options
  const { api_key: key } = config.mcp
  requireKey(app, key, { wrongKeys, gates: [consoleGate(doorOf(kernel))] })
  app.addHook('onRequest', async ({ routeOptions }) => {
    // It is asked for by machines, and costs the store nothing.
    if (routeOptions.url !== '/healthz') kernel.pace.asked()
  })
  // A call that comes right after a step of the clock is judged by elapsed time as well.
  app.addHook('preHandler', async ({ url }) => {
    if (url.startsWith('/api/')) await steadyClock.settled()
  })
  healthz(app, build, {
    async database() {
      const { ok, cause } = database.health()
      if (!ok) throw new Error(cause)
    },
    storage,
    progress,
  })
  noWellKnown(app)
  await mcpEndpoint(app, { kernel, tools, build })
  await hookEndpoints(app, { kernel, deadlineFactor: options.deadlineFactor })
  await ownerConsole(app, {
    kernel,
    screens: [...screens, ...(options.screens ?? [])],
    wrongKeys,
    dev: config.log.level === 'debug',
    service: {
      configured: options.configured ?? {},
      database: database.kind,
      tools,
      hooks: HOOKS.map(({ name }) => name),
      progress,
      storage,
    },
  })
  return app
}
