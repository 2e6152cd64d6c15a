import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Arrived {
  method?: string
  id?: number
  headers: IncomingMessage['headers']
  /** The body as it came. */
  bytes: Buffer
  /** Whether it came on a connection that the service knows, or on none. */
  isTaken: boolean
}

export interface Stub extends AsyncDisposable {
  url: string
  /** The key that lets a client in. */
  key: string
  /** Every frame that arrived, with the headers it came with. */
  frames: Arrived[]
  /** The headers of each DELETE. */
  closed: IncomingMessage['headers'][]
  /** What the next answers of these methods are, in place of the usual ones, byte for byte. */
  results: Map<string, string>
  /** How many further requests of these methods fail with an internal error. */
  failing: Map<string, number>
  /** How many further requests are refused, as by a service that stops. */
  stopping: number
  /** Forgets every connection, as a service does that lost its database. */
  forget(): void
  /** Takes connections and requests, and answers nothing until it is called again with false. */
  hang(isHanging: boolean): void
  /** Answers the calls of `wait` that have arrived so far. */
  release(): void
  /** Closes the port; `start` opens the same one again. */
  stop(): Promise<void>
  start(): Promise<void>
}

/**
 * A service that speaks just enough of MCP to be bridged to: it answers each call with its method.
 * The method `cut` loses the connection instead, `stream` answers by events, `wait` waits for `release`, and to
 * `proxied` a proxy answers.
 */
export async function openStub(): Promise<Stub> {
  const known = new Set<string>()
  const frames: Arrived[] = []
  const closed: Stub['closed'] = []
  const results: Stub['results'] = new Map()
  const waiting: (() => void)[] = []
  const failing: Stub['failing'] = new Map()
  let isHanging = false
  let port = 0
  let server: Server | undefined

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request
    const bytes = await bytesOf(request)
    if (isHanging) return
    if (stub.stopping > 0) {
      stub.stopping--
      const error = { code: -32603, message: 'stopping' }
      return reply(response, 503, { jsonrpc: '2.0', id: null, error }, { 'retry-after': '3' })
    }
    if (headers.authorization !== `Bearer ${stub.key}`)
      return void response.writeHead(401).end('{"error":"wrong key"}')
    const session = String(headers['mcp-session-id'] ?? '')
    if (request.method === 'DELETE') {
      closed.push(headers)
      known.delete(session)
      return void response.end()
    }
    const frame = JSON.parse(bytes.toString()) as { id?: number; method: string }
    const { id, method } = frame
    const opens = method === 'initialize'
    const isTaken = opens || headers['mcp-method'] !== undefined || known.has(session)
    frames.push({ method, ...(id !== undefined && { id }), headers, bytes, isTaken })
    if (!isTaken) {
      return reply(response, 404, {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32001, message: 'gone' },
      })
    }
    const fails = failing.get(method) ?? 0
    failing.set(method, fails - 1)
    if (fails > 0) {
      const error = { code: -32603, message: 'internal error' }
      return reply(response, 500, { jsonrpc: '2.0', id: id ?? null, error })
    }
    if (method === 'cut') return void request.socket.destroy()
    if (id === undefined) return void response.writeHead(202).end()
    if (method === 'wait') await new Promise<void>((resolve) => waiting.push(resolve))
    const result = { method, protocolVersion: '2025-06-18' }
    if (method === 'stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': hello\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"progress"}\n\n')
      return void response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    }
    if (method === 'proxied') return reply(response, 502, { message: 'Bad Gateway' })
    if (method === 'refuse') {
      return reply(response, 400, {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'no' },
      })
    }
    const fresh = opens ? randomUUID() : session
    known.add(fresh)
    const given = results.get(method)
    const body = given
      ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${given}}`
      : { jsonrpc: '2.0', id, result }
    return reply(response, 200, body, { 'mcp-session-id': fresh })
  }

  const start = async () => {
    server = createServer((request, response) => void answer(request, response).catch(() => {}))
    server.listen(port, '127.0.0.1')
    await new Promise((resolve) => server?.once('listening', resolve))
    ;({ port } = server.address() as AddressInfo)
  }
  const stop = async () => {
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
  }
  const stub: Stub = {
    url: '',
    key: 'right',
    frames,
    closed,
    results,
    failing,
    stopping: 0,
    forget: () => known.clear(),
    hang: (hangs) => void (isHanging = hangs),
    release: () => waiting.splice(0).forEach((resolve) => resolve()),
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  }
  await start()
  stub.url = `http://127.0.0.1:${port}`
  return stub
}

function reply(response: ServerResponse, status: number, body: object | string, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body, null, 2))
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
