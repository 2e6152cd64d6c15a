/**
 * The endpoint: which requests reach the tools, and the shape of every answer.
 *
 * MCP streamable HTTP in both its generations, with sessions and without. The body of an answer is
 * always one JSON-RPC object, refusals of the HTTP layer included; only a notification is
 * acknowledged without one.
 */
import {
  ErrorCode,
  InitializeRequestSchema,
  LATEST_PROTOCOL_VERSION,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js'
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify'
import pLimit, { type LimitFunction } from 'p-limit'
import { httpError, sayError } from '../http/errors.ts'
import type { Build } from '../kernel/build.ts'
import type { Kernel } from '../kernel/kernel.ts'
import {
  callContext,
  closeConnection,
  inTime,
  isConnectionId,
  newConnectionId,
  openConnection,
  type CallContext,
} from './bindings.ts'
import type { Answer, Exchange, Tell } from './exchange.ts'
import { isObject, parseMessage, sayInTool, type Message, type RpcError } from './message.ts'
import { serveTools, type Asked, type Extend, type Served } from './server.ts'
import { isStateless, namesStateless, serveStateless } from './stateless.ts'
import { Streams } from './streams.ts'
import type { Tool } from './tool.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of the JSON-RPC message, once it was read; null: unknown. */
    rpcId: string | number | null
    /** Whom its connection speaks for, asked while the body still arrives; null: not asked. */
    speaksFor: ReturnType<typeof callContext> | null
  }
}

export const ENDPOINT = '/api/mcp'
const BODY_LIMIT = 1_048_576

/** The generation with sessions. Anything else a client asks for is answered with the newest. */
const PROTOCOLS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
/** What a client speaks that does not say. */
const UNSAID = '2025-03-26'

/** As many writes begin at once: when hundreds come together, who only reads does not wait behind them. */
const BEGINNING = 4

const HTTP_ERROR = -32_000
const NO_SESSION = -32_001
/** The JSON-RPC code of a refusal by HTTP status. */
const CODES: Record<number, number> = {
  404: NO_SESSION,
  413: ErrorCode.InvalidRequest,
  415: ErrorCode.InvalidRequest,
  500: ErrorCode.InternalError,
  503: ErrorCode.InternalError,
}

interface Endpoint {
  kernel: Kernel
  tools: readonly Tool[]
  build: Build
  extend?: Extend
}

/** Registers the endpoint with these tools. The key and the host names are checked by the app's own hooks. */
export async function mcpEndpoint(
  app: FastifyInstance,
  { kernel, tools, build, extend }: Endpoint,
): Promise<void> {
  const served = await serveTools(kernel, tools, build, extend)
  const answerStateless = serveStateless(kernel, served, build)
  const beginning = pLimit(BEGINNING)
  const streams = new Streams((id) => kernel.telemetry.seen({ connection: id }))
  app.addHook('preClose', async () => streams.close())

  await app.register(
    async (app) => {
      const exactly = { prefixTrailingSlash: 'no-slash' } as const
      app.decorateRequest('rpcId', null)
      app.decorateRequest('speaksFor', null)
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
      const askAhead: onRequestHookHandler = (request, _reply, done) => {
        const id = request.headers['mcp-session-id']
        const busy = beginning.activeCount === BEGINNING
        if (!busy && isConnectionId(String(id)) && !namesStateless(request.headers)) {
          request.speaksFor = callContext(kernel, String(id))
          // Whoever needs it hears of a failure; a body that is refused needs it no more.
          request.speaksFor.catch(() => {})
        }
        done()
      }
      app.post(
        '/',
        { ...exactly, onRequest: [checkTypes, askAhead], bodyLimit: BODY_LIMIT },
        async (request, reply) => {
          const message = parseMessage(request)
          if (!isStateless(message, request.headers)) {
            return post(kernel, { ...served, beginning }, message, request, reply)
          }
          if (message.id === undefined) return reply.code(202).send()
          const { notice, ...answer } = await answerStateless(message, request.headers)
          const talk = new Talk(reply)
          if (notice) talk.say({ jsonrpc: '2.0', ...notice })
          return talk.end(message.id, answer)
        },
      )
      const listening = { ...exactly, exposeHeadRoute: false, onRequest: onlyWithSessions }
      app.get('/', listening, async (request, reply) => {
        if (!accepts(request, 'text/event-stream')) {
          throw httpError(406, 'Accept must list text/event-stream')
        }
        const { connection } = await connectionOf(kernel, request)
        return streams.open(connection.id, reply)
      })
      const leaving = { ...exactly, onRequest: [onlyWithSessions, forgetBody] }
      app.delete('/', leaving, async (request, reply) => {
        const id = connectionId(request)
        if (!(await closeConnection(kernel.db, id))) throw noSession()
        streams.end(id)
        return send(reply, null, { result: {} })
      })
    },
    { prefix: ENDPOINT },
  )
}

/** Well-known addresses hold nothing: a hint of OAuth makes clients ignore the header they were given. */
export function noWellKnown(app: FastifyInstance): void {
  app.get('/.well-known/*', { config: { open: true } }, (_request, reply) => reply.code(404).send())
}

async function post(
  kernel: Kernel,
  { exchange, readers, beginning }: Served & { beginning: LimitFunction },
  message: Message,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (message.method === 'initialize' && message.id !== undefined) {
    return initialize(kernel, exchange, message, reply)
  }
  const { id = null, method } = message
  const begin = (): Promise<CallContext> => connectionOf(kernel, request)
  const call = mayWrite(message, readers) ? inTime(beginning(begin)) : begin()
  const talk = new Talk(reply)
  const asked =
    id === null || method === undefined
      ? null
      : ask(exchange, message, call, (each) => talk.say(each))
  try {
    const { connection } = await call
    kernel.telemetry.seen({ connection: connection.id })
  } catch (error) {
    return send(reply, id, { result: sayInTool(kernel, error, message) })
  }
  if (asked) return talk.end(id, await asked)
  if (method === undefined) {
    const { result, error } = message
    const answer = error === undefined ? { result } : { error }
    exchange.hear({ jsonrpc: '2.0', id, ...answer } as JSONRPCMessage)
  }
  return reply.code(202).send()
}

const mayWrite = ({ method, params }: Message, readers: ReadonlySet<string>): boolean =>
  method === 'tools/call' && isObject(params) && !readers.has(String(params['name']))

async function ask(
  exchange: Exchange<Asked>,
  { method = '', params = {} }: Message,
  call: Promise<CallContext>,
  tell: Tell,
): Promise<Answer> {
  if (!isObject(params)) {
    return { error: { code: ErrorCode.InvalidParams, message: 'params must be an object' } }
  }
  if (method !== 'tools/call') return exchange.ask(method, params, { call }, tell)
  const { name, arguments: sent } = params
  if (typeof name !== 'string') {
    return { error: { code: ErrorCode.InvalidParams, message: 'tools/call needs a name' } }
  }
  // The arguments go beside the message: what is wrong with them is for the tool to say.
  return exchange.ask(method, { name, ...progressIn(params) }, { call, sent }, tell)
}

/** Under which token the client wants to hear how far a call has come. */
function progressIn({ _meta: meta }: Record<string, unknown>): object {
  const token = isObject(meta) ? meta['progressToken'] : undefined
  const valid = typeof token === 'string' || Number.isInteger(token)
  return valid ? { _meta: { progressToken: token } } : {}
}

async function initialize(
  kernel: Kernel,
  exchange: Exchange<Asked>,
  { id = 0, params }: Message,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const filled = {
    protocolVersion: UNSAID,
    capabilities: {},
    clientInfo: { name: '', version: '' },
    ...(params as object | undefined),
  }
  const read = InitializeRequestSchema.safeParse({ method: 'initialize', params: filled })
  if (!read.success) {
    const [problem] = read.error.issues
    const where = problem?.path.join('.') ?? 'params'
    const message = `invalid ${where}: ${problem?.message ?? 'not understood'}`
    return send(reply, id, { error: { code: ErrorCode.InvalidParams, message } })
  }
  const { protocolVersion: asked, clientInfo } = read.data.params
  const protocol = PROTOCOLS.includes(asked) ? asked : LATEST_PROTOCOL_VERSION
  const answer = await exchange.ask(
    'initialize',
    { protocolVersion: protocol, capabilities: {}, clientInfo },
    { call: null },
  )
  const connection = newConnectionId()
  await openConnection(kernel.db, {
    id: connection,
    client: label(clientInfo.name),
    client_version: label(clientInfo.version),
    protocol_version: protocol,
  })
  return send(reply.header('Mcp-Session-Id', connection), id, answer)
}

/** What a client calls itself, as a short line that the database can hold. */
const label = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 200)
    .toWellFormed()

/** The connection that the request names. Every request but `initialize` has one. */
async function connectionOf(kernel: Kernel, request: FastifyRequest): Promise<CallContext> {
  const id = connectionId(request)
  const protocol = request.headers['mcp-protocol-version']
  if (protocol !== undefined && !PROTOCOLS.includes(String(protocol))) {
    throw httpError(400, `unsupported MCP-Protocol-Version; supported: ${PROTOCOLS.join(', ')}`)
  }
  const context = await inTime(request.speaksFor ?? callContext(kernel, id))
  if (!context) throw noSession()
  return context
}

function connectionId({ headers }: FastifyRequest): string {
  const id = headers['mcp-session-id']
  if (id === undefined || id === '') throw httpError(400, 'the Mcp-Session-Id header is missing')
  if (!isConnectionId(String(id))) throw noSession()
  return String(id)
}

const noSession = (): Error => httpError(404, 'no such session; initialize again')

async function checkTypes(request: FastifyRequest): Promise<void> {
  if (!accepts(request, 'application/json') || !accepts(request, 'text/event-stream')) {
    throw httpError(406, 'Accept must list application/json and text/event-stream')
  }
  const [type = ''] = (request.headers['content-type'] ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== 'application/json') {
    throw httpError(415, 'Content-Type must be application/json')
  }
}

function accepts({ headers }: FastifyRequest, wanted: string): boolean {
  const [kind] = wanted.split('/')
  const ranges = (headers.accept ?? '').split(',').map((range) => range.split(';', 1)[0]!.trim())
  return ranges.some((range) => ['*/*', `${kind}/*`, wanted].includes(range.toLowerCase()))
}

/** Streams and their end belong to connections. */
async function onlyWithSessions({ headers }: FastifyRequest): Promise<void> {
  if (!namesStateless(headers)) return
  throw httpError(405, 'without sessions there is only POST', { Allow: 'POST' })
}

/** What comes with a DELETE is not looked at, nor is its type. */
async function forgetBody({ raw }: FastifyRequest): Promise<void> {
  delete raw.headers['content-type']
  delete raw.headers['content-length']
  delete raw.headers['transfer-encoding']
  raw.resume()
}

function answerError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { status, message, headers, ours } = sayError(error)
  if (ours) request.log.error({ err: error }, 'a request failed')
  const { rpcCode: code = CODES[status] ?? HTTP_ERROR, rpcData: data } = error as Partial<RpcError>
  const words = FASTIFY_WORDS[error.code] ?? message
  return send(reply.code(status).headers(headers), request.rpcId ?? null, {
    error: { code, message: words, ...(data !== undefined && { data }) },
  })
}

/** What Fastify's own errors are called here. */
const FASTIFY_WORDS: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body is over 1 MiB',
}

function send(reply: FastifyReply, id: string | number | null, answer: Answer): FastifyReply {
  return reply
    .header('Content-Type', 'application/json')
    .send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
}

/** One answer. It is plain JSON, or a stream when something is said before it. */
class Talk {
  readonly #reply: FastifyReply
  #streaming = false

  constructor(reply: FastifyReply) {
    this.#reply = reply
  }

  say(message: object): void {
    const { raw } = this.#reply
    if (!this.#streaming) {
      this.#streaming = true
      this.#reply.hijack()
      raw.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      })
    }
    raw.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
  }

  end(id: string | number | null, answer: Answer): FastifyReply {
    if (!this.#streaming) return send(this.#reply, id, answer)
    this.say({ jsonrpc: '2.0', id, ...answer })
    this.#reply.raw.end()
    return this.#reply
  }
}
