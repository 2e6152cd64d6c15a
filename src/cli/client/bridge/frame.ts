/** Frames of JSON-RPC as text: they are read for what the bridge must know, and never written anew. */
import type { TooLong } from './lines.ts'

export type Id = string | number | null

/** As much of a frame as the bridge looks at. */
export interface Frame {
  id?: Id
  method?: string
  params?: {
    protocolVersion?: unknown
    name?: unknown
    cursor?: unknown
    requestId?: unknown
    _meta?: Record<string, unknown>
  }
  result?: unknown
  error?: unknown
}

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
/** The error code of an answer that the bridge gives for a service it cannot reach. */
export const UNREACHABLE = -32000

/** Returns undefined for what is no JSON. */
export function parseJson(text: Buffer | string): unknown {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}

/** Returns undefined for what is not one JSON object. */
export function parseFrame(text: string): Frame | undefined {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? value : undefined
}

/** Whether somebody waits for an answer to the frame. */
export const isCall = ({ method, id }: Frame): boolean => method !== undefined && id !== undefined

export const failure = (id: Id | undefined, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message } })

/** An answer around the text of a result, as the service writes it. */
export const answered = (id: Id | undefined, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id ?? null)},"result":${result}}`

/** Returns the text of the result in an answer, byte for byte; undefined for an error. */
export function resultOf(answer: string): string | undefined {
  const [start] = /^\{"jsonrpc":"2\.0","id":(?:"(?:[^"\\]|\\.)*"|-?[\d.eE+-]+),"result":/.exec(
    answer,
  ) ?? ['']
  if (start !== '' && answer.endsWith('}')) return answer.slice(start.length, -1)
  const { result } = parseFrame(answer) ?? {}
  return result === undefined ? undefined : JSON.stringify(result)
}

/** The same JSON in one line: outside of strings an end of line is a space, and inside there is none. */
export const inOneLine = (text: string): string => text.trim().replaceAll(/[\r\n]+/g, ' ')

/** The id in a frame of which only the ends are known; the members of a call come in any order. */
export function idOf({ head, tail }: TooLong): Id {
  const member = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,17})\s*`
  const opening = String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"method"\s*:\s*"[^"\\]*"\s*,\s*)?`
  const closing = String.raw`(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`
  const [, id] =
    new RegExp(`${opening}${member},`).exec(head.toString()) ??
    new RegExp(`,\\s*${member}${closing}`).exec(tail.toString()) ??
    []
  return id === undefined ? null : (JSON.parse(id) as Id)
}

/** The version that a frame names for itself: it belongs to no connection. */
export function ownVersion({ method, params }: Frame): string | undefined {
  const version = params?.['_meta']?.['io.modelcontextprotocol/protocolVersion']
  return typeof version === 'string' && method !== undefined ? version : undefined
}

/** Returns the headers of a frame that names its own protocol version; undefined for other frames. */
export function ownHeaders(frame: Frame): Record<string, string> | undefined {
  const version = ownVersion(frame)
  if (version === undefined) return undefined
  const { method = '', params } = frame
  const name = method === 'tools/call' ? params?.name : undefined
  return {
    'mcp-protocol-version': inHeader(version),
    'mcp-method': inHeader(method),
    ...(typeof name === 'string' && { 'mcp-name': inHeader(name) }),
  }
}

/** Encodes a text that is more than visible ASCII, so that a header can hold it. */
const inHeader = (text: string): string =>
  /^[\x21-\x7e]+(?: +[\x21-\x7e]+)*$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
