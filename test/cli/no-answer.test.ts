/** A service that takes a connection and does not answer it, or goes away behind it. */
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { socketPath } from '../../src/cli/operator/store/socket.ts'
import { openFolder } from '../helpers/folder.ts'
import { loam } from '../helpers/in-process.ts'

const KEY = 'k'.repeat(64)

async function listening(
  answers: RequestListener,
  at: string | { port: number; host: string } = { port: 0, host: '127.0.0.1' },
): Promise<AsyncDisposable & { url: string }> {
  const server: Server = createServer(answers)
  await new Promise<void>((resolve) => server.listen(at, resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Runs a command against the address: what it says in the end, and after how long. */
async function asking(url: string, ...args: string[]) {
  await using folder = await openFolder()
  const env = { LOAM_URL: url, LOAM_MCP_API_KEY: KEY }
  const began = performance.now()
  const { code, stderr } = await loam([...args, '--quiet'], { folder: folder.path, env })
  return { code, stderr, seconds: (performance.now() - began) / 1000 }
}

/** A service that a client can connect to, and whose tools answer like this. */
const withTools =
  (call: (response: ServerResponse, id: unknown) => unknown): RequestListener =>
  async (request, response) => {
    let text = ''
    for await (const part of request) text += String(part)
    // Nobody waits for the farewell.
    if (request.method !== 'POST') return
    const { id, method, params } = JSON.parse(text)
    if (method === 'tools/call') return void call(response, id)
    if (id === undefined) return void response.writeHead(202).end()
    const { protocolVersion } = params
    const serverInfo = { name: 'loam', version: '1' }
    const result = { protocolVersion, capabilities: { tools: {} }, serverInfo }
    response.setHeader('content-type', 'application/json').setHeader('mcp-session-id', 'a')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }

describe('a service that takes the connection and never answers', () => {
  test.concurrent.each([['status'], ['sessions'], ['ready']])(
    'holds loam %s for seconds',
    async (command) => {
      await using service = await listening(() => {})
      const { code, stderr, seconds } = await asking(service.url, command)
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `loam: ${service.url}: the service gave no answer within 10 s\n`,
      })
      expect(seconds).toBeLessThan(15)
    },
  )

  test.concurrent('holds nobody who only says farewell', async () => {
    const nothing = { content: [], structuredContent: { ready: [], ready_total: 0 } }
    await using service = await listening(
      withTools((response, id) =>
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ jsonrpc: '2.0', id, result: nothing })),
      ),
    )
    const { code, seconds } = await asking(service.url, 'task', 'release', 'x')
    expect(code).toBe(0)
    expect(seconds).toBeLessThan(5)
  })
})

describe('a call behind a good connection', () => {
  test('that is cut says that its effect is not known', async () => {
    await using service = await listening(withTools((response) => response.socket?.destroy()))
    expect(await asking(service.url, 'task', 'release', 'x')).toMatchObject({
      code: 1,
      stderr: `loam: ${service.url}: the connection was lost; whether tasks_release took effect is not known\n`,
    })
  })

  test('that is cut within its answer says so too', async () => {
    await using service = await listening(
      withTools((response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
        response.write('{"jsonrpc"', () => response.socket?.destroy())
      }),
    )
    expect((await asking(service.url, 'ready')).stderr).toBe(
      `loam: ${service.url}: the connection was lost; whether tasks_ready took effect is not known\n`,
    )
  })

  test('that the service does not know is refused in its words', async () => {
    const error = { code: -32602, message: 'tool "tasks_ready" not found' }
    await using service = await listening(
      withTools((response, id) =>
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ jsonrpc: '2.0', id, error })),
      ),
    )
    expect((await asking(service.url, 'ready')).stderr).toBe('loam: tool "tasks_ready" not found\n')
  })

  test('that is turned away names the status', async () => {
    await using service = await listening(
      withTools((response) => response.writeHead(503).end('away')),
    )
    expect((await asking(service.url, 'ready')).stderr).toBe(
      `loam: ${service.url}: the service answered 503 to tasks_ready\n`,
    )
  })
})

test('a command of the operator whose service stops meanwhile says that its effect is not known', async () => {
  await using folder = await openFolder()
  const dataDir = join(folder.path, 'loam-data')
  await mkdir(join(dataDir, 'db'), { recursive: true })
  await writeFile(join(dataDir, '.loam-store'), '01K9ZC4T7Q8V2M5N6P3R1S0WXY\n')
  const path = await socketPath(dataDir, process.pid)
  for (const half of ['', '{"project"']) {
    await using _ = await listening((request, response) => {
      if (half === '') return void request.socket.destroy()
      response.writeHead(200, { 'content-length': 100 })
      response.write(half, () => request.socket.destroy())
    }, path as never)
    const { code, stderr } = await loam(['project', 'retire', 'x', '--quiet'], {
      folder: folder.path,
    })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'loam: the service ended before it answered; whether "project retire" took effect is not known\n',
    })
  }
})
