/**
 * The generation with sessions, up to 2025-11-25. A handshake gives the client a connection id, and
 * every later request names it.
 */
import { ErrorCode, InitializeRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyRequest } from 'fastify'
import { httpError } from '../http/errors.ts'
import type { Build } from '../kernel/build.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { isObject } from '../kernel/schema/shape.ts'
import { callContext, readConnection, type CallContext } from './call-context.ts'
import { isConnectionId, newConnectionId, openConnection } from './connections.ts'
import { refused, type Asked, type Generation, type Methods } from './dispatch.ts'
import { connectionHeartbeat } from './heartbeat.ts'
import { CAPABILITIES, serverInfo } from './identity.ts'
import { instructions } from './instructions.ts'
import { projectNamed, type Message } from './message.ts'
import type { Answer } from './reply-stream.ts'
import { shownByHeaders, shownByMessage } from './shown.ts'
import type { ToolMethods } from './tool-methods.ts'

/** Its versions, the newest first: the answer to a client that asks for any other. */
export const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
/** The version of a client that does not say. */
const UNSAID = '2025-03-26'

/** What a test server has beside the tools. */
export interface Extension {
  capabilities: object
  methods: Methods
  /** Takes what a client answers to a request that one of the methods sent. */
  hear(answer: Message): void
}

export function statefulGeneration(
  kernel: Kernel,
  { list, call }: ToolMethods,
  build: Build,
  extension?: Extension,
): Generation {
  const own: Methods = new Map([
    ['initialize', initializer(kernel, build, { ...CAPABILITIES, ...extension?.capabilities })],
    ['ping', () => ({ result: {} })],
    ['tools/list', list],
    ['tools/call', call],
  ])
  return {
    methods: new Map([...own, ...(extension?.methods ?? [])]),
    unknownMethodStatus: 200,
    async admit({ id, method, params }, _request, context) {
      // A handshake comes before its connection, and what it lacks is filled in.
      if (method === 'initialize' && id !== undefined) return undefined
      await context()
      if (params === undefined || isObject(params)) return undefined
      return refused(ErrorCode.InvalidParams, 'params must be an object')
    },
    async contextOf({ params }, request) {
      const context = await contextOfConnection(kernel, request, params)
      kernel.telemetry.seen(connectionHeartbeat, context.connection.id)
      return context
    },
    complete: (result) => result,
    ...(extension && { hear: extension.hear }),
  }
}

/** Answers a handshake, also of clients that hardly name themselves. */
function initializer(kernel: Kernel, build: Build, capabilities: object) {
  return async ({ params: given, reply }: Asked): Promise<Answer> => {
    const params = {
      protocolVersion: UNSAID,
      capabilities: {},
      clientInfo: { name: '', version: '' },
      ...given,
    }
    const read = InitializeRequestSchema.safeParse({ method: 'initialize', params })
    if (!read.success) {
      const [problem] = read.error.issues
      const where = problem?.path.join('.') ?? 'params'
      const words = `invalid ${where}: ${problem?.message ?? 'not understood'}`
      return refused(ErrorCode.InvalidParams, words)
    }
    const { protocolVersion: asked, clientInfo } = read.data.params
    const protocolVersion = VERSIONS.includes(asked) ? asked : VERSIONS[0]!
    const id = newConnectionId()
    await openConnection(kernel.db, {
      id,
      client: label(clientInfo.name),
      client_version: label(clientInfo.version),
      protocol_version: protocolVersion,
    })
    reply.header('Mcp-Session-Id', id)
    return {
      result: { protocolVersion, capabilities, serverInfo: serverInfo(build), instructions },
    }
  }
}

/** What a client calls itself, as a short line that the database can hold. */
const label = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 200)
    .toWellFormed()

/** Returns the context of the connection that the request names, for a message with these params. */
export async function contextOfConnection(
  kernel: Kernel,
  request: FastifyRequest,
  params?: unknown,
): Promise<CallContext> {
  const id = connectionIdOf(request)
  const version = request.headers['mcp-protocol-version']
  if (version !== undefined && !VERSIONS.includes(String(version))) {
    throw httpError(400, `unsupported MCP-Protocol-Version; supported: ${VERSIONS.join(', ')}`)
  }
  const ahead = shownByHeaders(request.headers)
  const read = await readConnection(kernel, id, ahead, projectNamed(params))
  if (!read) throw noConnection()
  return callContext(kernel, id, read, { ahead, shown: shownByMessage(ahead, params) })
}

export function connectionIdOf({ headers }: FastifyRequest): string {
  const id = headers['mcp-session-id']
  if (id === undefined || id === '') throw httpError(400, 'the Mcp-Session-Id header is missing')
  if (!isConnectionId(String(id))) throw noConnection()
  return String(id)
}

export const noConnection = (): Error => httpError(404, 'no such session; initialize again')
