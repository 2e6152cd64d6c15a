/** The HTTP edges alone, on a database of their own: no vault, no timers, only the tools a test brings. */
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { pino } from 'pino'
import { openChat } from '../../src/chat/chat.ts'
import { loadConfig, type Config } from '../../src/config.ts'
import { openEmbedder } from '../../src/embeddings/embeddings.ts'
import { requireKey } from '../../src/http/auth.ts'
import { answerErrors } from '../../src/http/errors.ts'
import { healthz, type Probes } from '../../src/http/healthz.ts'
import { checkHosts } from '../../src/http/hosts.ts'
import { WrongKeys } from '../../src/http/wrong-keys.ts'
import { BatchingTelemetry } from '../../src/kernel/batching-telemetry.ts'
import { nothingBehind } from '../../src/kernel/catch-up.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import type { Database } from '../../src/postgres/database.ts'
import { noFailpoint } from '../../src/kernel/failpoint.ts'
import type { Kernel } from '../../src/kernel/kernel.ts'
import { openNetwork } from '../../src/kernel/network.ts'
import { KeptAnswers } from '../../src/kernel/kept-answers.ts'
import { Pace } from '../../src/kernel/pace.ts'
import { mcpEndpoint, noWellKnown } from '../../src/mcp/endpoint.ts'
import type { Extension } from '../../src/mcp/stateful.ts'
import type { Tool } from '../../src/mcp/tool.ts'
import { connect, type Agent } from './agent.ts'
import { openTestDatabase } from './database.ts'
import { testTools } from './tools.ts'
import { openWire, type Wire } from './wire.ts'

export const KEY = 'test-key-of-sufficient-length'

export interface Edge extends AsyncDisposable {
  url: string
  key: string
  app: FastifyInstance
  kernel: Kernel
  telemetry: BatchingTelemetry
  database: Database
  /** Everything that was logged so far. */
  logged(): string
  connect(name?: string): Promise<Agent>
  wire(): Promise<Wire>
  close(): Promise<void>
}

export interface EdgeOptions {
  tools?: readonly Tool[]
  database?: Database
  env?: Record<string, string>
  probes?: Partial<Probes>
  /** Monotonic milliseconds, for the limits on wrong keys. */
  now?: () => number
  key?: string
  extension?: Extension
}

export async function openEdge(options: EdgeOptions = {}): Promise<Edge> {
  const { tools = testTools, key = KEY, now } = options
  const database = options.database ?? (await openTestDatabase())
  const config = await testConfig(options.env)
  const { log, logged } = memoryLog()
  const { db } = database
  const telemetry = new BatchingTelemetry({ db, clock: systemClock, log })
  const kernel: Kernel = {
    db,
    clock: systemClock,
    log,
    config,
    // No tool of this edge reaches for a file.
    vault: undefined as never,
    catchUp: nothingBehind,
    telemetry,
    kept: new KeptAnswers(database.callersChanged),
    feed: undefined as never,
    followers: undefined as never,
    network: openNetwork(),
    embedder: await openEmbedder({ db, config, log }),
    chat: openChat({ config, log }),
    reactions: [],
    pace: new Pace(),
    failpoint: noFailpoint,
  }
  const well = async (): Promise<void> => {}
  const build = { version: '0.0.0-test', commit: 'abc', built: '' }
  const app = Fastify({ loggerInstance: log as FastifyBaseLogger })
  answerErrors(app)
  checkHosts(app, config)
  requireKey(app, key, { wrongKeys: new WrongKeys(now) })
  const progress = () => ({ behind: false, read: 0, files: 0 })
  healthz(app, build, { database: well, storage: well, progress, ...options.probes })
  noWellKnown(app)
  const { extension } = options
  await mcpEndpoint(app, { kernel, tools, build, ...(extension && { extension }) })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  const close = async (): Promise<void> => {
    await app.close()
    await telemetry.close()
    if (!options.database) await database.close()
  }
  return {
    url,
    key,
    app,
    kernel,
    telemetry,
    database,
    logged,
    connect: (name) => connect({ url, key, ...(name && { name }) }),
    wire: () => openWire({ url, key }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The defaults, and what the test sets; nothing of the machine it runs on. */
export async function testConfig(env: Record<string, string> = {}): Promise<Config> {
  const { config } = await loadConfig({
    cwd: '/nonexistent',
    env: { HOME: '/nonexistent', ...env },
  })
  return config
}

export function memoryLog(): { log: Kernel['log']; logged: () => string } {
  const lines: string[] = []
  const sink = new PassThrough()
  sink.on('data', (chunk: Buffer) => lines.push(chunk.toString()))
  return { log: pino({ level: 'debug' }, sink), logged: () => lines.join('') }
}
