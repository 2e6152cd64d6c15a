import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { bridge } from '../../src/cli/client/bridge.ts'
import { openStub, type Stub } from '../helpers/mcp-stub.ts'

const INITIALIZE = { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } }

/** A client at the other end of the pipe: sends frames, waits for the next line that comes back. */
function connect({ url }: Pick<Stub, 'url'>, { key = 'right', patienceMs = 5000 } = {}) {
  const input = new PassThrough()
  const arrived: string[] = []
  const waiting: ((line: string) => void)[] = []
  const output = (line: string) => {
    const next = waiting.shift()
    if (next) next(line)
    else arrived.push(line)
  }
  const ended = bridge({ client: { url, key: async () => key }, input, output, patienceMs })
  const next = async (): Promise<{ id?: unknown; error?: { code: number }; result?: object }> => {
    const line = arrived.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)))
    expect(line).not.toContain('\n')
    return JSON.parse(line)
  }
  return {
    send: (frame: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...frame })}\n`),
    write: (bytes: string | Buffer) => input.write(bytes),
    next,
    async call(frame: object) {
      this.send(frame)
      return next()
    },
    end: () => (input.end(), ended),
    ended,
  }
}

describe('the bridge', () => {
  test('forwards frames in order, one line each way, on one connection', async () => {
    await using stub = await openStub()
    const client = connect(stub)
    expect(await client.call(INITIALIZE)).toMatchObject({ id: 1, result: { method: 'initialize' } })
    client.send({ method: 'notifications/initialized' })
    client.send({ id: 2, method: 'tools/list' })
    client.send({ id: 3, method: 'tools/call' })

    expect(await client.next()).toMatchObject({ id: 2, result: { method: 'tools/list' } })
    expect(await client.next()).toMatchObject({ id: 3, result: { method: 'tools/call' } })
    await client.end()
    const sessions = stub.frames.slice(1).map(({ headers }) => headers['mcp-session-id'])
    expect(new Set(sessions).size).toBe(1)
    expect(stub.frames.at(-1)?.headers['mcp-protocol-version']).toBe('2025-06-18')
  })

  test('relays an answer that comes as events, each as one line', async () => {
    await using stub = await openStub()
    const client = connect(stub)
    await client.call(INITIALIZE)
    expect(await client.call({ id: 2, method: 'stream' })).toMatchObject({ method: 'progress' })
    expect(await client.next()).toMatchObject({ id: 2, result: { method: 'stream' } })
    await client.end()
  })

  test('takes lines as they are cut: in pieces, with CRLF, and with U+2028 within', async () => {
    await using stub = await openStub()
    const client = connect(stub)
    await client.call(INITIALIZE)
    const line = Buffer.from('{"jsonrpc":"2.0","id":2,"method":"a\u2028ü"}\r\n\r\n')
    for (const byte of line) client.write(Buffer.from([byte]))
    expect(await client.next()).toMatchObject({ id: 2, result: { method: 'a\u2028ü' } })
    await client.end()
  })

  test('says in headers what a frame says of itself that belongs to no connection', async () => {
    await using stub = await openStub()
    const client = connect(stub)
    await client.call(INITIALIZE)
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    await client.call({ id: 2, method: 'server/discover', params: { _meta: meta } })
    await client.call({ id: 3, method: 'tools/call', params: { name: 'recäll', _meta: meta } })
    await client.end()

    const own = stub.frames.slice(1).map(({ headers }) => headers)
    expect(own).toMatchObject([
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' },
      { 'mcp-method': 'tools/call', 'mcp-name': '=?base64?cmVjw6RsbA==?=' },
    ])
    for (const headers of own) expect(headers).not.toHaveProperty('mcp-session-id')
  })

  test('opens the connection again when the service forgot it, and nobody notices', async () => {
    await using stub = await openStub()
    const client = connect(stub)
    await client.call(INITIALIZE)
    stub.forget()

    expect(await client.call({ id: 2, method: 'tools/call' })).toMatchObject({
      id: 2,
      result: { method: 'tools/call' },
    })
    await client.end()
    expect(stub.frames.map(({ method }) => method)).toEqual([
      'initialize',
      'tools/call',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ])
  })

  test('waits for a service that restarts, and goes on with the same connection', async () => {
    await using stub = await openStub()
    const client = connect(stub)
    await client.call(INITIALIZE)
    await stub.stop()
    client.send({ id: 2, method: 'tools/call' })
    await new Promise((resolve) => setTimeout(resolve, 200))
    await stub.start()

    expect(await client.next()).toMatchObject({ id: 2, result: { method: 'tools/call' } })
    await client.end()
  })

  test('answers with an error, and lives on, while the service stays away', async () => {
    await using stub = await openStub()
    const client = connect(stub, { patienceMs: 1 })
    await client.call(INITIALIZE)
    await stub.stop()

    expect(await client.call({ id: 2, method: 'tools/call' })).toMatchObject({
      id: 2,
      error: { code: -32000, message: expect.stringContaining('cannot be reached') },
    })
    await stub.start()
    expect(await client.call({ id: 3, method: 'tools/call' })).toMatchObject({ id: 3, result: {} })
    await client.end()
  })

  test('never repeats a call that was cut off in the middle: it says that the outcome is open', async () => {
    await using stub = await openStub()
    const client = connect(stub)
    await client.call(INITIALIZE)

    expect(await client.call({ id: 2, method: 'cut' })).toMatchObject({
      id: 2,
      error: { code: -32000, message: expect.stringContaining('not known') },
    })
    expect(stub.frames.filter(({ method }) => method === 'cut')).toHaveLength(1)
    await client.end()
  })

  test('gives an error of the service the id of the call', async () => {
    await using stub = await openStub()
    const client = connect(stub)
    await client.call(INITIALIZE)
    expect(await client.call({ id: 7, method: 'refuse' })).toMatchObject({
      id: 7,
      error: { code: -32600 },
    })
    await client.end()
  })

  test('answers a line that is no JSON itself', async () => {
    await using stub = await openStub()
    const client = connect(stub)
    client.write('{"jsonrpc":\n')
    expect(await client.next()).toMatchObject({ id: null, error: { code: -32700 } })
    await client.end()
  })

  test('fails with one sentence when the key is wrong, and never shows it', async () => {
    await using stub = await openStub()
    const client = connect(stub, { key: 'canary' })
    client.send(INITIALIZE)
    const failure = await client.ended.catch(String)
    expect(failure).toContain('the service refused the connection: the key is wrong')
    expect(failure).not.toContain('canary')
  })

  test('fails at once when the service was never there', async () => {
    const stub = await openStub()
    await stub.stop()
    const client = connect(stub, { patienceMs: 60_000 })
    client.send(INITIALIZE)
    await expect(client.ended).rejects.toThrow('the service cannot be reached (ECONNREFUSED)')
  })
})
