/**
 * The generation without sessions: every request says for itself which protocol it speaks and what
 * its client can do, and its headers repeat what stands between must be able to read. Nothing is
 * remembered from one request to the next, so a caller names its session in the arguments.
 */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { IncomingHttpHeaders } from 'node:http'
import type { Build } from '../kernel/build.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { inTime, statelessContext, type CallContext } from './bindings.ts'
import type { Answer } from './exchange.ts'
import { instructions } from './instructions.ts'
import { isObject, rpcError, sayInTool, type Message } from './message.ts'
import { SERVER_NAME, type Served } from './server.ts'

/** Its versions, the newest first. */
export const STATELESS = ['2026-07-28']

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const CLIENT = 'io.modelcontextprotocol/clientInfo'
const SERVER = 'io.modelcontextprotocol/serverInfo'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

const HEADER_MISMATCH = -32_020
const UNSUPPORTED_VERSION = -32_022

/** How long a client may believe the list of tools: a feature that is switched shows after it. */
const FRESH = { ttlMs: 60_000, cacheScope: 'private' } as const

/**
 * Whether the message is of this generation: it says so itself, or at least its header does. A
 * handshake is of the other one, unless it names a version of this.
 */
export function isStateless({ method, params }: Message, headers: IncomingHttpHeaders): boolean {
  if (method === undefined) return false
  const claimed = metaOf(params)?.[VERSION]
  if (method === 'initialize' && claimed !== undefined) return STATELESS.includes(String(claimed))
  return claimed !== undefined || namesStateless(headers)
}

export const namesStateless = (headers: IncomingHttpHeaders): boolean =>
  STATELESS.includes(String(headers['mcp-protocol-version']))

/** What a request is answered with; `notice`: a notification that goes before it, on one stream. */
type StatelessAnswer = Answer & { notice?: { method: string; params: object } }
type AnswerStateless = (message: Message, headers: IncomingHttpHeaders) => Promise<StatelessAnswer>

/** What answers the requests of this generation. The database is asked only where an answer depends on it. */
export function serveStateless(kernel: Kernel, served: Served, build: Build): AnswerStateless {
  const identity = { [SERVER]: { name: SERVER_NAME, version: build.version } }
  const complete = (result: object, meta: object = {}): Answer => ({
    result: { ...result, resultType: 'complete', _meta: { ...meta, ...identity } },
  })
  const discovered = complete({
    supportedVersions: STATELESS,
    capabilities: { tools: { listChanged: false } },
    instructions,
    ...FRESH,
  })
  const callOf = ({ params }: Message): Promise<CallContext> =>
    inTime(statelessContext(kernel, String(metaOf(params)?.[VERSION])))

  async function call(message: Message): Promise<Answer> {
    const { name, arguments: sent } = message.params as Record<string, unknown>
    if (typeof name !== 'string') {
      return { error: { code: ErrorCode.InvalidParams, message: 'tools/call needs a name' } }
    }
    let context: CallContext
    try {
      context = await callOf(message)
    } catch (error) {
      return complete(sayInTool(kernel, error, message))
    }
    const answer = await served.call(context, name, sent)
    return 'error' in answer ? answer : complete(answer.result)
  }

  /** There is nothing to hear of, since the list tells no changes: heard at once, and over. */
  function listen({ id, params }: Message): StatelessAnswer {
    if (!isObject((params as Record<string, unknown>)['notifications'])) {
      const message = 'subscriptions/listen needs notifications'
      return { error: { code: ErrorCode.InvalidParams, message } }
    }
    const meta = { [SUBSCRIPTION]: id }
    const notice = {
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: {}, _meta: meta },
    }
    return { ...complete({}, meta), notice }
  }

  return async (message, headers) => {
    checkEnvelope(message, headers)
    switch (message.method) {
      case 'server/discover':
        return discovered
      case 'tools/list':
        return complete({ tools: served.list(await callOf(message)), ...FRESH })
      case 'tools/call':
        return call(message)
      case 'subscriptions/listen':
        return listen(message)
      default:
        throw rpcError(404, ErrorCode.MethodNotFound, 'Method not found')
    }
  }
}

/** Refuses what does not say who it is, and headers that say something else than the body. */
function checkEnvelope({ method, params }: Message, headers: IncomingHttpHeaders): void {
  const meta = metaOf(params) ?? {}
  const problem = envelopeProblem(meta)
  if (problem) throw rpcError(400, ErrorCode.InvalidParams, `invalid params._meta: ${problem}`)

  const version = String(meta[VERSION])
  const said = headerOf(headers, 'mcp-protocol-version')
  if (said !== undefined) agree('MCP-Protocol-Version', said, version)
  if (!STATELESS.includes(version)) {
    const data = { supported: STATELESS, requested: version }
    throw rpcError(400, UNSUPPORTED_VERSION, 'Unsupported protocol version', data)
  }
  agree('MCP-Protocol-Version', said, version)
  agree('Mcp-Method', headerOf(headers, 'mcp-method'), String(method))
  const name = method === 'tools/call' && isObject(params) ? params['name'] : undefined
  if (typeof name === 'string') agree('Mcp-Name', plain(headerOf(headers, 'mcp-name')), name)
}

function envelopeProblem(meta: Record<string, unknown>): string | undefined {
  const missing = [VERSION, CAPABILITIES].filter((key) => meta[key] === undefined)
  if (missing.length > 0) return `${missing.join(' and ')} must be there`
  if (typeof meta[VERSION] !== 'string') return `${VERSION} must be a string`
  if (!isObject(meta[CAPABILITIES])) return `${CAPABILITIES} must be an object`
  const client = meta[CLIENT]
  if (client === undefined) return undefined
  const named =
    isObject(client) && typeof client['name'] === 'string' && typeof client['version'] === 'string'
  return named ? undefined : `${CLIENT} must have a name and a version`
}

function agree(header: string, said: string | undefined, body: string): void {
  if (said === body) return
  const shown = JSON.stringify(body.slice(0, 100))
  const problem = said === undefined ? 'is missing' : `says ${JSON.stringify(said.slice(0, 100))}`
  throw rpcError(400, HEADER_MISMATCH, `the header ${header} ${problem}, the body ${shown}`)
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return value === undefined ? undefined : String(value).trim()
}

const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/

/** What a header says that holds more than ASCII, in its encoding or without one. */
function plain(value: string | undefined): string | undefined {
  const [, encoded] = ENCODED.exec(value ?? '') ?? []
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8')
}

function metaOf(params: unknown): Record<string, unknown> | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined
  return isObject(meta) ? meta : undefined
}
