/** One JSON-RPC message as it came in. */
import { isUtf8 } from 'node:buffer'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyRequest } from 'fastify'
import { isObject } from '../kernel/schema/shape.ts'
import { slugNamed } from '../projects/projects.ts'
import { rpcError } from './rpc-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The id of its JSON-RPC message, once that was read; null: unknown. */
    rpcId: string | number | null
  }
}

/** A request, a notification (no id) or a client's answer (no method). */
export interface Message {
  id?: string | number
  method?: string
  params?: unknown
  /** Of a client's answer. */
  result?: unknown
  error?: unknown
}

/** Reads the message in the body. Its id is kept on the request, so that a refusal can carry it. */
export function parseMessage(request: FastifyRequest): Message {
  const message = parseJson(request.body)
  if (Array.isArray(message))
    throw rpcError(400, ErrorCode.InvalidRequest, 'batches are not accepted')
  if (!isObject(message)) {
    throw rpcError(400, ErrorCode.InvalidRequest, 'the body must be one JSON-RPC object')
  }
  const { jsonrpc, id, method, ...rest } = message
  const named = typeof id === 'string' || (typeof id === 'number' && isExact(id))
  if (named) request.rpcId = id
  if (jsonrpc !== '2.0') throw rpcError(400, ErrorCode.InvalidRequest, 'jsonrpc must be "2.0"')
  if (!named && (id !== undefined || method === undefined)) {
    const what = 'id must be a string or a number, of 2^53 - 1 at most'
    throw rpcError(400, ErrorCode.InvalidRequest, what)
  }
  if (method === undefined ? !('result' in rest || 'error' in rest) : typeof method !== 'string') {
    throw rpcError(400, ErrorCode.InvalidRequest, 'method must be a string')
  }
  return { id, method, ...rest } as Message
}

/** A larger number is read as one beside it: its client would wait for ever for an answer to what it asked. */
const isExact = (id: number): boolean => Math.abs(id) <= Number.MAX_SAFE_INTEGER

function parseJson(body: unknown): unknown {
  const notJson = (): Error => rpcError(400, ErrorCode.ParseError, 'the body is not JSON')
  if (!Buffer.isBuffer(body) || !isUtf8(body)) throw notJson()
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw notJson()
  }
}

/** Returns the name in a tool call, or undefined when the message is none. */
export function toolNamed({ method, params }: Message): string | undefined {
  const name = method === 'tools/call' && isObject(params) ? params['name'] : undefined
  return typeof name === 'string' ? name : undefined
}

/** Returns the project that the arguments of a call name, or undefined when they name none that there could be. */
export function projectNamed(params: unknown): string | undefined {
  const own = isObject(params) ? params['arguments'] : undefined
  const project = isObject(own) ? own['project'] : undefined
  return typeof project === 'string' ? slugNamed(project) : undefined
}
