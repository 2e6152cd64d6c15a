/** Puts the house together. The program and the tests call the same function. */
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { openChat } from './chat/chat.ts'
import type { Config } from './config.ts'
import { fileKinds } from './file-kinds.ts'
import { openEmbedder } from './embeddings/embeddings.ts'
import { BatchingTelemetry } from './kernel/batching-telemetry.ts'
import type { Leads } from './kernel/held.ts'
import { systemClock, type Clock } from './kernel/clock.ts'
import type { Database } from './postgres/database.ts'
import { LogFeed, forgetForeignTransactions } from './postgres/feed.ts'
import { LogFollowers } from './postgres/followers.ts'
import { FEATURES_CHANNEL, featuresOn } from './features/features.ts'
import { noFailpoint, type Failpoint } from './kernel/failpoint.ts'
import { migrate } from './postgres/migrate.ts'
import type { SinceBoot } from './postgres/since-boot.ts'
import { keepSteady } from './postgres/steady-clock.ts'
import { KeptAnswers } from './kernel/kept-answers.ts'
import { openNetwork, type Network } from './kernel/network.ts'
import { once } from './kernel/once.ts'
import { Pace } from './kernel/pace.ts'
import { pending } from './kernel/pending.ts'
import { VaultCatchUp, type Progress } from './vault/catch-up.ts'
import { openVault, type VaultKernel } from './vault/vault.ts'
import { reconcile } from './vault/reconcile.ts'
import { assertAdopted } from './vault/store-id.ts'
import { VaultWatcher } from './vault/watch.ts'
import { projectFileKind } from './projects/projects.ts'
import { followers } from './followers.ts'
import { reactions } from './reactions.ts'
import { layRoutes, type House, type RouteOptions } from './routes.ts'
import { isNoneActive } from './sessions/sessions.ts'
import { beginStoreDatabase, NOT_IN_FILES } from './store-database.ts'
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

export interface AppOptions extends RouteOptions {
  log: Logger
  clock?: Clock
  failpoint?: Failpoint
  /** A world of a test's own; the network when left out. */
  network?: Network
  /** Open already, or about to be; closed with the app. */
  database?: Database | Promise<Database>
  /** Refuses a database that is not yet the one of the data directory, rather than making it so. */
  mustStand?: boolean
  /** How long the machine has been running; tests bring one that starts anew. */
  machine?: SinceBoot
}

/**
 * Opens the database and the data directory and registers every route.
 *
 * Throws a Refusal, in words for the person who starts it, when either cannot serve.
 */
export async function buildApp(config: Config, options: AppOptions): Promise<App> {
  const { log } = options
  const opening = options.database ?? (await beginStoreDatabase(config, log)).opened
  const closers: (() => unknown)[] = [async () => (await opening).close()]
  const close = once(async () => {
    for (const each of closers.toReversed()) await each()
  })
  try {
    const { whole: kernel, complete } = pending<OwnKernel, Stored>(
      withoutStore(config, options),
      STORED,
    )
    const house = pending<House, 'database' | 'steadyClock'>({ kernel }, [
      'database',
      'steadyClock',
    ])
    // The engine needs nothing of this thread while it opens.
    const app = await layRoutes(house.whole, options)
    const closeApp = once(() => app.close())
    closers.push(closeApp)

    const database = await opening
    if (options.mustStand) await assertAdopted(database.db, config.data_dir)
    await migrate(database, { log })
    await forgetForeignTransactions(database)
    complete(await openStored(kernel, database))
    const { catchUp } = kernel
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

    house.complete({ database, steadyClock })
    // What reaches out ends first: the calls that wait for it are answered before the routes close.
    closers.push(
      closeApp,
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
  catchUp: VaultCatchUp
  telemetry: BatchingTelemetry
  feed: LogFeed
  followers: LogFollowers
}

/** What of a kernel stands once the database is open. */
const STORED = [
  'db',
  'vault',
  'catchUp',
  'telemetry',
  'kept',
  'feed',
  'followers',
  'embedder',
] as const
type Stored = (typeof STORED)[number]

function withoutStore(config: Config, options: AppOptions): Omit<OwnKernel, Stored> {
  const { log, clock = systemClock, failpoint = noFailpoint, network = openNetwork() } = options
  const chat = openChat({ config, log })
  return { config, log, clock, network, chat, reactions, pace: new Pace(), failpoint }
}

async function openStored(
  { config, log, clock, pace }: Omit<OwnKernel, Stored>,
  database: Database,
): Promise<Pick<OwnKernel, Stored>> {
  const { db, pool, kind, stands, callersChanged } = database
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
  const telemetry = new BatchingTelemetry({
    ...{ db, clock, log, count: tellStatistics },
    isAnswering: () => pace.isAnswering,
  })
  return {
    db,
    vault,
    catchUp: new VaultCatchUp({ shared: kind === 'server' }),
    telemetry,
    kept: new KeptAnswers(callersChanged),
    feed: new LogFeed({ database, storeId: vault.storeId, log }),
    followers: new LogFollowers({ database, followers, ...SWITCHES }),
    embedder: await openEmbedder({ db, config, log }),
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
