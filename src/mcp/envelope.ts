/**
 * The envelope of a stateless request: its `_meta` says which protocol it speaks and what its client can
 * do, and its headers repeat what a proxy in between must be able to read.
 */
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import type { IncomingHttpHeaders } from 'node:http'
import { isObject, type Values } from '../kernel/schema/shape.ts'
import { toolNamed, type Message } from './message.ts'
import { rpcError } from './rpc-error.ts'

/** The versions without sessions, the newest first. */
export const VERSIONS = ['2026-07-28']

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const CLIENT = 'io.modelcontextprotocol/clientInfo'

const HEADER_MISMATCH = -32_020
const UNSUPPORTED_VERSION = -32_022

/** Characters of a value that a message repeats. */
const LONGEST_QUOTE = 100

/**
 * Whether the message is stateless: it says so itself, or at least its header does. A handshake belongs
 * to the other generation, unless it names a version of this one.
 */
export function isStateless({ method, params }: Message, headers: IncomingHttpHeaders): boolean {
  if (method === undefined) return false
  const claimed = metaOf(params)?.[VERSION]
  if (method === 'initialize' && claimed !== undefined) return VERSIONS.includes(String(claimed))
  return claimed !== undefined || namesStateless(headers)
}

export const namesStateless = (headers: IncomingHttpHeaders): boolean =>
  VERSIONS.includes(String(headers['mcp-protocol-version']))

/** The version that the message says it speaks. */
export const versionOf = ({ params }: Message): string => String(metaOf(params)?.[VERSION])

/** What the client calls itself; '' when it does not say. */
export function clientNameOf({ params }: Message): string {
  const client = metaOf(params)?.[CLIENT]
  return isObject(client) && typeof client['name'] === 'string' ? client['name'] : ''
}

/** Refuses a message that does not say who it is, and headers that contradict the body. */
export function checkEnvelope(message: Message, headers: IncomingHttpHeaders): void {
  const problem = problemOf(metaOf(message.params) ?? {})
  if (problem) throw rpcError(400, ErrorCode.InvalidParams, `invalid params._meta: ${problem}`)

  const version = versionOf(message)
  const said = headerOf(headers, 'mcp-protocol-version')
  if (said !== undefined) agree('MCP-Protocol-Version', said, version)
  if (!VERSIONS.includes(version)) {
    const data = { supported: VERSIONS, requested: version }
    throw rpcError(400, UNSUPPORTED_VERSION, 'Unsupported protocol version', data)
  }
  agree('MCP-Protocol-Version', said, version)
  agree('Mcp-Method', headerOf(headers, 'mcp-method'), String(message.method))
  const tool = toolNamed(message)
  if (tool !== undefined) agree('Mcp-Name', decoded(headerOf(headers, 'mcp-name')), tool)
}

function problemOf(meta: Values): string | undefined {
  const missing = [VERSION, CAPABILITIES].filter((key) => meta[key] === undefined)
  if (missing.length > 0) return `${missing.join(' and ')} must be there`
  if (typeof meta[VERSION] !== 'string') return `${VERSION} must be a string`
  if (!isObject(meta[CAPABILITIES])) return `${CAPABILITIES} must be an object`
  const client = meta[CLIENT]
  if (client === undefined) return undefined
  const isNamed =
    isObject(client) && typeof client['name'] === 'string' && typeof client['version'] === 'string'
  return isNamed ? undefined : `${CLIENT} must have a name and a version`
}

function agree(header: string, said: string | undefined, body: string): void {
  if (said === body) return
  const problem = said === undefined ? 'is missing' : `says ${shown(said)}`
  throw rpcError(400, HEADER_MISMATCH, `the header ${header} ${problem}, the body ${shown(body)}`)
}

const shown = (text: string): string => JSON.stringify(text.slice(0, LONGEST_QUOTE))

function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return value === undefined ? undefined : String(value).trim()
}

const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/

/** What a header says: a value beyond ASCII comes encoded. */
function decoded(value: string | undefined): string | undefined {
  const [, encoded] = ENCODED.exec(value ?? '') ?? []
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8')
}

function metaOf(params: unknown): Values | undefined {
  const meta = isObject(params) ? params['_meta'] : undefined
  return isObject(meta) ? meta : undefined
}
