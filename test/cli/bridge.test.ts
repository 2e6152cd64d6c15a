import { describe, expect, test } from 'vitest'
import { bridged } from '../helpers/bridged.ts'
import { openStub } from '../helpers/mcp-stub.ts'

/** More than a frame may hold. */
const LONG = 'x'.repeat(17 * 1024 * 1024)
const INITIALIZE = { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } }

describe('the bridge', () => {
  test('forwards frames in order, one line each way, on one connection', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
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

  test('sends the bytes of a frame as they came, and says whose they are', async () => {
    await using stub = await openStub()
    const identity = { 'Loam-Client': 'codex', 'Loam-Directory': '/src/%C3%BC' }
    const client = bridged(stub, { identity })
    await client.call(INITIALIZE)
    const frame =
      '{ "method":"tools/call","id":2, "params":{"n":12345678901234567890.10,"u":"\\u00e9é", ' +
      '"_meta":{"sessionId":"s","x":[1.0]}},"jsonrpc":"2.0" }'
    stub.results.set('tools/call', '{"big":12345678901234567890, "e":"\\u00e9é"}')
    client.write(`${frame}\r\n`)
    expect(await client.line()).toBe(
      '{"jsonrpc":"2.0","id":2,"result":{"big":12345678901234567890, "e":"\\u00e9é"}}',
    )
    await client.end()
    expect(stub.frames.at(-1)?.bytes.toString()).toBe(frame)
    for (const { headers } of stub.frames)
      expect(headers).toMatchObject({ 'loam-client': 'codex', 'loam-directory': '/src/%C3%BC' })
  })

  test('holds no call up for another one, nor a cancellation', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
    await client.call(INITIALIZE)
    for (let id = 2; id < 30; id++) client.send({ id, method: 'wait' })
    await expect.poll(() => stub.frames).toHaveLength(29)
    client.send({ method: 'notifications/cancelled', params: { requestId: 2 } })
    expect(await client.call({ id: 30, method: 'tools/call' })).toMatchObject({
      id: 30,
      result: {},
    })
    const methods = stub.frames.map(({ method }) => method)
    expect(methods.lastIndexOf('wait')).toBeLessThan(methods.indexOf('notifications/cancelled'))
    expect(methods.indexOf('notifications/cancelled')).toBeLessThan(methods.indexOf('tools/call'))
    stub.release()
    const ids = []
    while (ids.length < 28) ids.push((await client.next()).id)
    expect(new Set(ids).size).toBe(28)
    await client.end()
  })

  test('relays an answer that comes as events, each as one line', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
    await client.call(INITIALIZE)
    expect(await client.call({ id: 2, method: 'stream' })).toMatchObject({ method: 'progress' })
    expect(await client.next()).toMatchObject({ id: 2, result: { method: 'stream' } })
    await client.end()
  })

  test('takes lines as they are cut: in pieces, with CRLF, and with U+2028 within', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
    await client.call(INITIALIZE)
    const line = Buffer.from('{"jsonrpc":"2.0","id":2,"method":"a\u2028ü"}\r\n\r\n')
    for (const byte of line) client.write(Buffer.from([byte]))
    expect(await client.next()).toMatchObject({ id: 2, result: { method: 'a\u2028ü' } })
    await client.end()
  })

  test('says in headers what a frame says of itself that belongs to no connection', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
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

  test('sends again what a service that stops has refused, and nobody notices', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
    await client.call(INITIALIZE)
    stub.stopping = 2
    expect(await client.call({ id: 2, method: 'tools/call' })).toMatchObject({
      id: 2,
      result: { method: 'tools/call' },
    })
    await client.end()
    expect([stub.stopping, stub.frames.length]).toEqual([0, 2])
  })

  test('answers a call for which only a proxy had an answer', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
    await client.call(INITIALIZE)
    expect(await client.call({ id: 2, method: 'proxied' })).toMatchObject({
      id: 2,
      error: { message: 'the service answered 502 with something that is no answer to the call' },
    })
    await client.end()
  })

  test('opens the connection again when the service forgot it, and nobody notices', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
    await client.call(INITIALIZE)
    client.send({ method: 'notifications/initialized' })
    await client.call({ id: 2, method: 'tools/call' })
    stub.forget()

    expect(await client.call({ id: 3, method: 'tools/call' })).toMatchObject({
      id: 3,
      result: { method: 'tools/call' },
    })
    await client.end()
    expect(stub.frames.map(({ method }) => method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/call',
      'tools/call',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ])
  })

  test('waits for a service that restarts, and goes on with the same connection', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
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
    const client = bridged(stub, { patienceMs: 1 })
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
    const client = bridged(stub)
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
    const client = bridged(stub)
    await client.call(INITIALIZE)
    expect(await client.call({ id: 7, method: 'refuse' })).toMatchObject({
      id: 7,
      error: { code: -32600 },
    })
    await client.end()
  })

  test('answers a line that is no JSON itself', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
    client.write('{"jsonrpc":\n')
    expect(await client.next()).toMatchObject({ id: null, error: { code: -32700 } })
    await client.end()
  })

  test('answers odd lines itself, whatever they are, and goes on', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
    await client.call(INITIALIZE)
    const odd: [string | Buffer, number | null, number][] = [
      ['[{"jsonrpc":"2.0","id":2,"method":"ping"}]', null, -32600],
      ['5', null, -32600],
      ['null', null, -32600],
      ['\0', null, -32700],
      [Buffer.from([0xff, 0xfe]), null, -32700],
      [`{"method":"tools/call","params":{"x":"${LONG}"},"jsonrpc":"2.0","id":7}`, 7, -32600],
      [`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"id":9,"x":"${LONG}"}}`, 8, -32600],
      [`{"params":{"x":"${LONG}"}}`, null, -32600],
    ]
    for (const [line, id, code] of odd) {
      client.write(line)
      client.write('\n')
      expect(await client.next()).toMatchObject({ id, error: { code } })
    }
    expect(await client.call({ id: 10, method: 'tools/call' })).toMatchObject({
      id: 10,
      result: {},
    })
    await client.end()
  })

  test('reads the key anew when it was refused: a rotated one reaches a bridge that runs', async () => {
    await using stub = await openStub()
    let key = 'right'
    const client = bridged(stub, { key: () => key })
    await client.call(INITIALIZE)
    stub.key = 'rotated'
    expect(await client.call({ id: 2, method: 'tools/call' })).toMatchObject({
      error: { message: expect.stringContaining('the key is wrong') },
    })
    key = 'rotated'
    expect(await client.call({ id: 3, method: 'tools/call' })).toMatchObject({ id: 3, result: {} })
    await client.end()
  })

  test('several calls at once read a rotated key, and none fails', async () => {
    await using stub = await openStub()
    let key = 'right'
    const client = bridged(stub, { key: () => key })
    await client.call(INITIALIZE)
    stub.key = key = 'rotated'
    for (let id = 2; id < 10; id++) client.send({ id, method: 'tools/call' })
    for (let id = 2; id < 10; id++) expect(await client.next()).toMatchObject({ result: {} })
    await client.end()
  })

  test('tries again to open a connection that the service failed to open', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
    await client.call(INITIALIZE)
    stub.forget()
    stub.failing.set('initialize', 2)
    stub.failing.set('tools/list', 1)
    expect(await client.call({ id: 2, method: 'tools/list' })).toMatchObject({ id: 2, result: {} })
    // A call may have done its work before it failed.
    stub.failing.set('tools/call', 1)
    expect(await client.call({ id: 3, method: 'tools/call' })).toMatchObject({
      id: 3,
      error: { message: 'internal error' },
    })
    await client.end()
  })

  test('tells the service at its end that the client is gone', async () => {
    await using stub = await openStub()
    const client = bridged(stub, { identity: { 'Loam-Process': 'p' } })
    await client.call(INITIALIZE)
    await client.call({ id: 2, method: 'tools/call' })
    const session = stub.frames.at(-1)?.headers['mcp-session-id']
    // A client that begins anew has not gone.
    await client.call({ ...INITIALIZE, id: 3 })
    client.send({ id: 4, method: 'wait' })
    await client.end()
    const [first, last] = stub.closed
    expect(first).toMatchObject({ 'mcp-session-id': session })
    expect(first).not.toHaveProperty('loam-closed')
    expect(last).toMatchObject({ 'loam-closed': 'bridge', 'loam-process': 'p' })
  })

  test('gives answers that are on their way a moment when its input ends, and is stopped at once', async () => {
    await using stub = await openStub()
    const client = bridged(stub)
    client.send(INITIALIZE)
    client.send({ id: 2, method: 'tools/call' })
    await client.end()
    expect(client.arrived).toHaveLength(2)

    const stopping = new AbortController()
    const other = bridged(stub, { signal: stopping.signal })
    await other.call(INITIALIZE)
    other.send({ id: 2, method: 'wait' })
    const began = performance.now()
    stopping.abort()
    await other.ended
    expect(performance.now() - began).toBeLessThan(400)
    expect(stub.closed).toHaveLength(2)
  })

  test('fails with one sentence when the key is wrong, and never shows it', async () => {
    await using stub = await openStub()
    const client = bridged(stub, { key: 'canary' })
    expect(await client.call(INITIALIZE)).toMatchObject({ id: 1, error: { code: -32000 } })
    const failure = await client.ended.catch(String)
    expect(failure).toContain('the service refused the connection: the key is wrong')
    expect(failure).not.toContain('canary')
  })
})
