/**
 * What stands between the clients and the service, and writes down every request as it reached the
 * service. It keeps its address while the service is away, and then nobody listens there.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Recorded {
  method: string
  path: string
  headers: Record<string, string>
  /** Parsed; a text that is no JSON stays a text. */
  body: unknown
  /** The answer, as far as later requests refer to it. */
  status: number
  connection?: string
}

export interface Recorder extends AsyncDisposable {
  /** In place of the service's. */
  url: string
  requests: Recorded[]
  /** The service is killed: connections break, and new ones are refused. */
  goAway(): Promise<void>
  /** It is back, at this address of its own. */
  comeBack(url: string): Promise<void>
}

/** Headers that depend on the machine and its moment, and say nothing. */
const UNSAID =
  /^(?:host|connection|content-length|accept.*|user-agent|sec-.*|authorization|expect)$/

export async function openRecorder(service: string): Promise<Recorder> {
  const requests: Recorded[] = []
  let upstream = service
  const server = createServer((incoming, answer) => {
    void pass(incoming, answer).catch(() => answer.destroy())
  })

  async function pass(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming
    const parts: Buffer[] = []
    for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part)
    const bytes = Buffer.concat(parts)
    const said = Object.entries(headers).filter(([name]) => !UNSAID.test(name))
    const recorded: Recorded = {
      method,
      path,
      headers: Object.fromEntries(said) as Record<string, string>,
      body: parsed(bytes.toString('utf8')),
      status: 0,
    }
    requests.push(recorded)
    const forwarded = request(new URL(path, upstream), { method, headers, agent: false })
    forwarded.on('response', (response) => {
      recorded.status = response.statusCode ?? 0
      const connection = response.headers['mcp-session-id']
      if (typeof connection === 'string') recorded.connection = connection
      answer.writeHead(recorded.status, response.headers)
      response.pipe(answer)
      response.on('error', () => answer.destroy())
    })
    forwarded.on('error', () => answer.destroy())
    answer.on('close', () => forwarded.destroy())
    forwarded.end(bytes)
  }

  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo

  async function goAway(): Promise<void> {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    goAway,
    async comeBack(url) {
      upstream = url
      await listen(port)
    },
    [Symbol.asyncDispose]: goAway,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
