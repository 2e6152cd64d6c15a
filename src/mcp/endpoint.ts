/**
 * The endpoint: MCP streamable HTTP in both its generations, with sessions and without, at one address.
 *
 * The body of an answer is always one JSON-RPC object, refusals of the HTTP layer included; only a
 * notification is acknowledged without one.
 */
import type { FastifyInstance } from 'fastify'
import pLimit from 'p-limit'
import { httpError } from '../http/errors.ts'
import type { Build } from '../kernel/build.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { endClosed } from '../sessions/sessions.ts'
import { accepts, checkTypes, ignoreBody, onlyWithSessions } from './accept.ts'
import { inTime } from './call-context.ts'
import { closeConnection, isSpokenFor } from './connections.ts'
import { dispatch } from './dispatch.ts'
import { isStateless } from './envelope.ts'
import { answerError } from './errors.ts'
import { connectionHeartbeat } from './heartbeat.ts'
import { parseMessage } from './message.ts'
import { PingStreams } from './ping-streams.ts'
import { sendAnswer } from './reply-stream.ts'
import { shownByHeaders } from './shown.ts'
import {
  connectionIdOf,
  contextOfConnection,
  noConnection,
  statefulGeneration,
  type Extension,
} from './stateful.ts'
import { statelessGeneration } from './stateless.ts'
import { declaredNames, tellTool } from './sizes.ts'
import { toolMethods } from './tool-methods.ts'
import type { Tool } from './tool.ts'

const ENDPOINT = '/api/mcp'
const BODY_LIMIT_BYTES = 1_048_576
/** How many writes ask for their context at once. */
const WRITES_AT_ONCE = 4

interface Endpoint {
  kernel: Kernel
  tools: readonly Tool[]
  build: Build
  extension?: Extension
}

/** Registers the endpoint with these tools. The app's own hooks check the key and the host names. */
export async function mcpEndpoint(app: FastifyInstance, endpoint: Endpoint): Promise<void> {
  await app.register(
    async (app) => {
      app.decorateRequest('rpcId', null)
      app.removeAllContentTypeParsers()
      app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) =>
        done(null, body),
      )
      app.setErrorHandler(answerError)
      app.setNotFoundHandler((request) => {
        const [path] = request.url.split('?', 1)
        if (path !== ENDPOINT) throw httpError(404, 'nothing is served at this address')
        throw httpError(405, 'use POST, GET or DELETE', { Allow: 'POST, GET, DELETE' })
      })
      serveMessages(app, endpoint)
      serveStreams(app, endpoint)
    },
    { prefix: ENDPOINT },
  )
}

/** Without it, `/api/mcp/` would be served too. */
const exactly = { prefixTrailingSlash: 'no-slash' } as const

/** POST: one message, of either generation. */
function serveMessages(app: FastifyInstance, { kernel, tools, build, extension }: Endpoint): void {
  const methods = toolMethods(kernel, tools)
  const stateful = statefulGeneration(kernel, methods, build, extension)
  const stateless = statelessGeneration(kernel, methods, build)
  const readers = new Set(tools.filter(({ hints }) => hints.readOnly).map(({ name }) => name))
  const writes = pLimit(WRITES_AT_ONCE)
  const declared = declaredNames(tools)
  const shared = { kernel, readers, writes }

  app.post('/', {
    ...exactly,
    bodyLimit: BODY_LIMIT_BYTES,
    onRequest: checkTypes,
    async handler(request, reply) {
      const message = parseMessage(request)
      tellTool(request, message, declared)
      const generation = isStateless(message, request.headers) ? stateless : stateful
      return kernel.pace.answer(() => dispatch(shared, generation, message, request, reply))
    },
  })
}

/** GET and DELETE: the stream of a connection, and its end. */
function serveStreams(app: FastifyInstance, { kernel }: Endpoint): void {
  const streams = new PingStreams((connection) =>
    kernel.telemetry.seen(connectionHeartbeat, connection),
  )
  app.addHook('preClose', async () => streams.close())

  app.get('/', {
    ...exactly,
    exposeHeadRoute: false,
    onRequest: onlyWithSessions,
    async handler(request, reply) {
      if (!accepts(request, 'text/event-stream')) {
        throw httpError(406, 'Accept must list text/event-stream')
      }
      const { connection } = await inTime(contextOfConnection(kernel, request))
      return streams.open(connection.id, reply)
    },
  })
  app.delete('/', {
    ...exactly,
    onRequest: [onlyWithSessions, ignoreBody],
    async handler(request, reply) {
      const id = connectionIdOf(request)
      // Our bridge says so when its client is gone, and not only the connection.
      const isGone = request.headers['loam-closed'] === 'bridge'
      if (isGone) await kernel.telemetry.flush()
      const session = await closeConnection(kernel.db, id)
      if (session === undefined) throw noConnection()
      streams.end(id)
      if (isGone && session !== '' && !(await isSpokenFor(kernel.db, session))) {
        await endClosed(kernel, session, shownByHeaders(request.headers).process)
      }
      return sendAnswer(reply, null, { result: {} })
    },
  })
}

/** Well-known addresses hold nothing: a hint of OAuth makes clients ignore the header they were given. */
export function noWellKnown(app: FastifyInstance): void {
  app.get('/.well-known/*', { config: { open: true } }, (_request, reply) => reply.code(404).send())
}
