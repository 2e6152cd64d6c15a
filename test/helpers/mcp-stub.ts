import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Stub extends AsyncDisposable {
  url: string
  /** Every frame that arrived, with the headers it came with. */
  frames: { method?: string; id?: number; headers: IncomingMessage['headers'] }[]
  /** Forgets every connection, as a service does that lost its database. */
  forget(): void
  /** Closes the port; `start` opens the same one again. */
  stop(): Promise<void>
  start(): Promise<void>
}

/**
 * A service that speaks just enough of MCP to be bridged to: it answers each call with its method.
 * The method `cut` loses the connection instead, `stream` answers by events.
 */
export async function openStub(): Promise<Stub> {
  const known = new Set<string>()
  const frames: Stub['frames'] = []
  let port = 0
  let server: Server | undefined

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers } = request
    if (headers.authorization !== 'Bearer right') return void response.writeHead(401).end()
    const session = String(headers['mcp-session-id'] ?? '')
    if (request.method === 'DELETE') {
      known.delete(session)
      return void response.end()
    }
    const frame = JSON.parse(await textOf(request)) as { id?: number; method: string }
    frames.push({ ...frame, headers })
    const { id, method } = frame
    const opens = method === 'initialize'
    if (!opens && !known.has(session)) {
      return reply(response, 404, {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32001, message: 'gone' },
      })
    }
    if (method === 'cut') return void request.socket.destroy()
    if (id === undefined) return void response.writeHead(202).end()
    const result = { method, protocolVersion: '2025-06-18' }
    if (method === 'stream') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': hello\n\nevent: message\ndata: {"jsonrpc":"2.0","method":"progress"}\n\n')
      return void response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
    }
    if (method === 'refuse') {
      return reply(response, 400, {
        jsonrpc: '2.0',
        id: null,
        error: { code: -32600, message: 'no' },
      })
    }
    const fresh = opens ? randomUUID() : session
    known.add(fresh)
    return reply(response, 200, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': fresh })
  }

  const start = async () => {
    server = createServer((request, response) => void answer(request, response))
    server.listen(port, '127.0.0.1')
    await new Promise((resolve) => server?.once('listening', resolve))
    ;({ port } = server.address() as AddressInfo)
  }
  const stop = async () => {
    server?.closeAllConnections()
    await new Promise((resolve) => server?.close(resolve))
  }
  await start()
  return {
    url: `http://127.0.0.1:${port}`,
    frames,
    forget: () => known.clear(),
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function reply(response: ServerResponse, status: number, body: object, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body, null, 2))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
