/** The routes of the three HTTP edges, and what holds for all of them. */
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Settings } from './config.ts'
import { consoleGate, doorOf } from './console/auth/gate.ts'
import { ownerConsole } from './console/console.ts'
import type { Screen } from './console/screen.ts'
import { screens } from './console/screens.ts'
import { hookEndpoints, HOOKS } from './hooks/hooks.ts'
import { requireKey } from './http/auth.ts'
import { decodable } from './http/addresses.ts'
import { answerErrors } from './http/errors.ts'
import { healthz } from './http/healthz.ts'
import { checkHosts } from './http/hosts.ts'
import { logLag } from './http/lag.ts'
import { lingerOnLargeBodies } from './http/linger.ts'
import { refuseWhileStopping } from './http/stopping.ts'
import { dropUnusedConnections } from './http/unused.ts'
import { WrongKeys } from './http/wrong-keys.ts'
import { readBuild } from './kernel/build.ts'
import { unavailable } from './kernel/refusal.ts'
import { catalog } from './mcp/catalog.ts'
import { mcpEndpoint, noWellKnown } from './mcp/endpoint.ts'
import type { Tool } from './mcp/tool.ts'
import type { Database } from './postgres/database.ts'
import type { SteadyClock } from './postgres/steady-clock.ts'
import type { VaultCatchUp } from './vault/catch-up.ts'
import type { VaultKernel } from './vault/vault.ts'

/** What the routes ask for when they are called. */
export interface House {
  kernel: VaultKernel & { catchUp: VaultCatchUp }
  database: Database
  steadyClock: SteadyClock
}

export interface RouteOptions {
  /** Where the configuration was read, for the settings of the console. */
  configured?: Pick<Settings, 'origins' | 'file'>
  /** Beside the catalogue's own; tests bring tools that do nothing. */
  tools?: readonly Tool[]
  /** Beside the console's own; tests bring screens of made-up nouns. */
  screens?: readonly Screen[]
  /** Counts the wrong keys of the last minute; tests bring one with a clock of their own. */
  wrongKeys?: WrongKeys
  /** Multiplies the deadlines of hooks: tests do not depend on the speed of a machine. */
  deadlineFactor?: number
}

/** Bytes of a request before its body, the address among them. */
const MOST_OF_HEAD = 64 * 1024

/** Registers every route of a house. It need not stand yet: none of them asks for it before it is called. */
export async function layRoutes(house: House, options: RouteOptions): Promise<FastifyInstance> {
  const { kernel } = house
  const { config, log } = kernel
  const build = readBuild()
  const tools = [...catalog, ...(options.tools ?? [])]
  const progress = () => kernel.catchUp.progress
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
    // In words of its own, which no edge of ours speaks.
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => decodable(url),
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 120_000,
    http: { headersTimeout: 5_000, maxHeaderSize: MOST_OF_HEAD },
    // A plan is called as its agents please: what fits a request is looked for, and our own page says what is not there.
    routerOptions: { maxParamLength: MOST_OF_HEAD },
  })
  logLag(app, log)
  answerErrors(app)
  lingerOnLargeBodies(app)
  dropUnusedConnections(app)
  refuseWhileStopping(app)
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
    if (url.startsWith('/api/')) await house.steadyClock.settled()
  })
  healthz(app, build, {
    async database() {
      const { ok, cause } = house.database.health()
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
      database: () => house.database.kind,
      tools,
      hooks: HOOKS.map(({ name }) => name),
      progress,
      storage,
    },
  })
  // Else what checks requests would be compiled when the port is opened, while nothing waits for the database.
  await app.ready()
  return app
}
