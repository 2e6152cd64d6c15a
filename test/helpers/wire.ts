import { request, type IncomingHttpHeaders } from 'node:http'

/** An answer as it crossed the wire. */
export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The body as JSON; undefined when there is none. */
  body: any
}

export interface Sending {
  method?: string
  path?: string
  headers?: Record<string, string | undefined>
  /** Sent as it is; anything but text and bytes as JSON. */
  body?: unknown
  /** In chunks, without a Content-Length. */
  chunked?: boolean
}

/** The endpoint without any client between: raw requests, one connection of its own. */
export interface Wire {
  /** The Mcp-Session-Id that was given to it. */
  id: string
  send(sending?: Sending): Promise<Reply>
  /** A JSON-RPC request on the connection. */
  ask(method: string, params?: unknown, id?: string | number): Promise<Reply>
}

/** Undefined takes a header away. */
const headersOf = (...all: Record<string, string | undefined>[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(Object.assign({}, ...all) as Record<string, string | undefined>).filter(
      (each): each is [string, string] => each[1] !== undefined,
    ),
  )

/** Never throws for a status. Uses node:http, since fetch forbids some headers and methods. */
export function send(
  url: string,
  { method = 'GET', path = '/', headers = {}, body, chunked = false }: Sending,
): Promise<Reply> {
  const bytes =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
      ? body
      : JSON.stringify(body)
  const length = bytes === undefined ? undefined : String(Buffer.byteLength(bytes))
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const outgoing = request(
      {
        hostname,
        port,
        // As it stands: a URL would tidy it up.
        path,
        method,
        agent: false,
        headers: headersOf(
          chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': length },
          headers,
        ),
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          const json = incoming.headers['content-type']?.includes('json') ?? false
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            body: json && text !== '' ? JSON.parse(text) : undefined,
          })
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(bytes)
  })
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'wire', version: '1.0.0' },
  },
}

/** The headers of a well-behaved request but for its connection. */
export const headersWith = (key: string): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
})

/** With an `id` it continues a connection that was opened before. */
export async function openWire({
  url,
  key,
  id: given,
}: {
  url: string
  key: string
  id?: string
}): Promise<Wire> {
  const own: Record<string, string> = headersWith(key)
  const post = (sending: Sending = {}): Promise<Reply> =>
    send(url, {
      method: 'POST',
      path: '/api/mcp',
      ...sending,
      headers: { ...own, ...sending.headers },
    })
  const id = given ?? (await initialize(post))
  own['mcp-session-id'] = id
  return {
    id,
    send: post,
    ask: (method, params, id = 1) =>
      post({ body: { jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) } }),
  }
}

async function initialize(post: Wire['send']): Promise<string> {
  const { status, headers, text } = await post({ body: INITIALIZE })
  const id = headers['mcp-session-id']
  if (typeof id !== 'string') throw new Error(`initialize was answered with ${status}: ${text}`)
  return id
}

/** A client of the generation without sessions: each request says for itself who asks. */
export interface StatelessWire {
  /** Headers and `_meta` say what the request does, unless the test says otherwise. */
  ask(method: string, params?: Record<string, unknown>, more?: StatelessSending): Promise<Reply>
  /** `structuredContent` of the answer; throws an Error with the text of a tool error. */
  call(tool: string, args?: Record<string, unknown>): Promise<any>
}

export interface StatelessSending {
  headers?: Record<string, string | undefined>
  meta?: Record<string, unknown>
  id?: string | number
}

export const STATELESS_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'wire', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

export function openStateless({ url, key }: { url: string; key: string }): StatelessWire {
  const ask: StatelessWire['ask'] = (method, params = {}, { headers, meta, id = 1 } = {}) =>
    send(url, {
      method: 'POST',
      path: '/api/mcp',
      headers: {
        ...headersWith(key),
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(method === 'tools/call' && { 'mcp-name': String(params['name']) }),
        ...headers,
      },
      body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta ?? STATELESS_META } },
    })
  return {
    ask,
    async call(name, args = {}) {
      const { status, body, text } = await ask('tools/call', { name, arguments: args })
      if (status !== 200 || body.error) throw new Error(`${status}: ${text}`)
      if (body.result.isError) throw new Error(body.result.content[0].text)
      return body.result.structuredContent
    },
  }
}
