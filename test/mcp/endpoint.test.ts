import { Readable } from 'node:stream'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEdge, type Edge } from '../helpers/edge.ts'
import {
  headersWith,
  INITIALIZE,
  send,
  type Reply,
  type Sending,
  type Wire,
} from '../helpers/wire.ts'

const PING = { jsonrpc: '2.0', id: 7, method: 'ping' }
const MIB = 1_048_576

/** Ends with the test: what is sent into nothing would fill the memory of its sender. */
async function* endlessly(text: string, signal: AbortSignal): AsyncGenerator<string> {
  for (; !signal.aborted; await turnOfTheLoop()) yield text
}

describe('the endpoint', () => {
  let edge: Edge
  let wire: Wire
  beforeAll(async () => {
    edge = await openEdge()
    wire = await edge.wire()
  })
  afterAll(() => edge.close())

  /** Whatever goes wrong, the body is one JSON-RPC object. */
  function refused(reply: Reply, status: number, code: number, id: unknown = null): void {
    expect([reply.status, reply.text]).toEqual([status, expect.any(String)])
    expect(reply.headers['content-type']).toContain('application/json')
    expect(reply.body).toEqual({
      jsonrpc: '2.0',
      id,
      error: { code, message: expect.stringMatching(/\S/) },
    })
  }

  test('hands out an id with initialize, and says that its list never changes', async () => {
    const reply = await wire.send({ body: INITIALIZE, headers: { 'mcp-session-id': undefined } })

    expect(reply.status).toBe(200)
    expect(reply.headers['mcp-session-id']).toMatch(
      /^mcp-session-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    expect(reply.body).toEqual({
      jsonrpc: '2.0',
      id: 0,
      result: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: { listChanged: false } },
        serverInfo: { name: 'loam', version: '0.0.0-test' },
        instructions: expect.stringContaining('recall'),
      },
    })
  })

  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2025-06-18', '2025-06-18'],
    ['2025-03-26', '2025-03-26'],
    ['2024-11-05', '2024-11-05'],
    ['2024-10-07', '2025-11-25'],
    ['tomorrow', '2025-11-25'],
    [undefined, '2025-03-26'],
  ])('asked for the protocol %s it speaks %s', async (asked, spoken) => {
    const params = { ...INITIALIZE.params, protocolVersion: asked }
    const reply = await wire.send({ body: { ...INITIALIZE, params } })
    expect(reply.body.result.protocolVersion).toBe(spoken)
  })

  test('initializes a client that says next to nothing of itself', async () => {
    const reply = await wire.send({ body: { jsonrpc: '2.0', id: 'x', method: 'initialize' } })
    expect(reply.body).toMatchObject({ id: 'x', result: { protocolVersion: '2025-03-26' } })
  })

  test('names what it does not understand in initialize', async () => {
    const params = { ...INITIALIZE.params, clientInfo: 'me' }
    refused(await wire.send({ body: { ...INITIALIZE, params } }), 200, -32602, 0)
  })

  test('acknowledges notifications and answers of the client without a body', async () => {
    for (const body of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', method: 'no/such/notification' },
      { jsonrpc: '2.0', id: 4, result: {} },
    ]) {
      expect(await wire.send({ body })).toMatchObject({ status: 202, text: '' })
    }
  })

  test('answers ping with nothing, under the id it was asked with', async () => {
    for (const id of [0, -3, 1.5, 2 ** 53 - 1, 'a', '', 'ü'.repeat(100)]) {
      expect((await wire.ask('ping', {}, id)).body).toEqual({ jsonrpc: '2.0', id, result: {} })
    }
  })

  test.each([
    ['ping', { _meta: 5 }],
    ['ping', { _meta: { progressToken: {} } }],
    ['tools/list', { _meta: [], cursor: null }],
    ['tools/call', { name: 'probe', _meta: 'x' }],
  ])('answers %s with %j, of which it uses nothing', async (method, params) => {
    const reply = await wire.ask(method, params)
    expect([reply.status, reply.body]).toEqual([
      200,
      { jsonrpc: '2.0', id: 1, result: expect.any(Object) },
    ])
  })

  describe('refuses', () => {
    const headers = (more: Record<string, string | undefined>): Sending => ({ headers: more })

    test.each<[string, Sending, number, number]>([
      ['no key', headers({ authorization: undefined }), 401, -32000],
      ['a wrong key', headers({ authorization: 'Bearer nope' }), 401, -32000],
      ['another scheme', headers({ authorization: 'Basic eDp5' }), 401, -32000],
      ['a key with a blank after it', headers({ authorization: 'Bearer test-key ' }), 401, -32000],
      ['a foreign host', headers({ host: 'evil.example' }), 403, -32000],
      ['a foreign origin', headers({ origin: 'https://evil.example' }), 403, -32000],
      ['the origin of nowhere', headers({ origin: 'null' }), 403, -32000],
      ['a body that is no JSON', { body: '{' }, 400, -32700],
      ['an empty body', { body: '' }, 400, -32700],
      ['no body', {}, 400, -32700],
      ['bytes that are no UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, -32700],
      ['a compressed body', { body: Buffer.from([0x1f, 0x8b, 8, 0]) }, 400, -32700],
      ['a batch', { body: [PING] }, 400, -32600],
      ['an empty batch', { body: [] }, 400, -32600],
      ['a scalar', { body: '7' }, 400, -32600],
      ['null', { body: 'null' }, 400, -32600],
      ['an empty object', { body: {} }, 400, -32600],
      ['an id that is null', { body: { ...PING, id: null } }, 400, -32600],
      ['an id that is an object', { body: { ...PING, id: {} } }, 400, -32600],
      ['an id that no answer would carry', { body: { ...PING, id: 2 ** 53 } }, 400, -32600],
      ['an id below those', { body: { ...PING, id: -(2 ** 53) } }, 400, -32600],
      ['a content type that is not JSON', headers({ 'content-type': 'text/plain' }), 415, -32600],
      [
        'a content type that only begins so',
        headers({ 'content-type': 'application/json5' }),
        415,
        -32600,
      ],
      ['no content type', headers({ 'content-type': undefined }), 415, -32600],
      ['an Accept without streams', headers({ accept: 'application/json' }), 406, -32000],
      ['an Accept without JSON', headers({ accept: 'text/event-stream' }), 406, -32000],
      ['no Accept', headers({ accept: undefined }), 406, -32000],
    ])('%s', async (_, sending, status, code) => {
      const withBody = 'body' in sending || status === 400 ? sending : { ...sending, body: PING }
      refused(await wire.send(withBody), status, code)
    })

    test.each<[string, Sending, number, number]>([
      ['a wrong jsonrpc', { body: { ...PING, jsonrpc: '1.0' } }, 400, -32600],
      ['a method that is no text', { body: { ...PING, method: 5 } }, 400, -32600],
      ['a message without a method', { body: { ...PING, method: undefined } }, 400, -32600],
      [
        'an unknown protocol',
        { body: PING, ...headers({ 'mcp-protocol-version': '1999-01-01' }) },
        400,
        -32000,
      ],
      ['no connection', { body: PING, ...headers({ 'mcp-session-id': undefined }) }, 400, -32000],
      ['an empty connection', { body: PING, ...headers({ 'mcp-session-id': '' }) }, 400, -32000],
      [
        'a malformed connection',
        { body: PING, ...headers({ 'mcp-session-id': 'x' }) },
        404,
        -32001,
      ],
      [
        'a connection nobody was given',
        {
          body: PING,
          ...headers({ 'mcp-session-id': 'mcp-session-00000000-0000-4000-8000-000000000000' }),
        },
        404,
        -32001,
      ],
      ['an unknown method', { body: { ...PING, method: 'resources/list' } }, 200, -32601],
      [
        'a method of logging',
        { body: { ...PING, method: 'logging/setLevel', params: { level: 'info' } } },
        200,
        -32601,
      ],
      [
        'a call without a name',
        { body: { ...PING, method: 'tools/call', params: {} } },
        200,
        -32602,
      ],
      ['a call without params', { body: { ...PING, method: 'tools/call' } }, 200, -32602],
      [
        'a name that is no text',
        { body: { ...PING, method: 'tools/call', params: { name: 5 } } },
        200,
        -32602,
      ],
      ['params that are a list', { body: { ...PING, params: [1] } }, 200, -32602],
    ])('%s, under the id of the request', async (_, sending, status, code) => {
      refused(await wire.send(sending), status, code, 7)
    })

    test('a request without the right key with a challenge', async () => {
      const reply = await send(edge.url, { method: 'POST', path: '/api/mcp', body: PING })
      expect(reply.headers['www-authenticate']).toBe('Bearer')
    })

    test.each([true, false])('a body over 1 MiB, chunked: %s', async (chunked) => {
      const body = JSON.stringify({ ...PING, params: { fill: '' } })
      const fill = (size: number): string =>
        JSON.stringify({ ...PING, params: { fill: 'x'.repeat(size - body.length) } })

      expect((await wire.send({ body: fill(MIB), chunked })).status).toBe(200)
      refused(await wire.send({ body: fill(MIB + 1), chunked }), 413, -32600)
    })

    test('a body without an end, so that its sender can read why', async () => {
      const over = new AbortController()
      const endless = Readable.from(endlessly('x'.repeat(65_536), over.signal), {
        objectMode: false,
      })
      try {
        const reply = await fetch(`${edge.url}/api/mcp`, {
          method: 'POST',
          headers: headersWith(edge.key) as Record<string, string>,
          body: Readable.toWeb(endless) as ReadableStream,
          duplex: 'half',
        } as RequestInit)
        expect(reply.status).toBe(413)
        expect(await reply.json()).toMatchObject({ error: { message: 'the body is over 1 MiB' } })
      } finally {
        over.abort()
      }
    })

    test.each(['PUT', 'PATCH', 'OPTIONS', 'PROPFIND', 'TRACE'])('the method %s', async (method) => {
      const reply = await wire.send({ method })
      refused(reply, 405, -32000)
      expect(reply.headers['allow']).toBe('POST, GET, DELETE')
    })

    test('a HEAD, without a body as HTTP has it', async () => {
      expect(await wire.send({ method: 'HEAD' })).toMatchObject({ status: 405, text: '' })
    })

    test.each(['/api/mcp/', '/api/mcp/x', '/api/mcp//', '/api/mcp/%2f'])(
      'the neighbouring address %s',
      async (path) => {
        refused(await wire.send({ path, body: PING }), 404, -32001)
      },
    )
  })

  describe('a GET', () => {
    test('with a connection is a stream that ends when the connection is deleted', async () => {
      const own = await edge.wire()
      const open = own.send({ method: 'GET' })
      const answered = await Promise.race([open, pause(300)])
      expect(answered).toBe('still open')

      await own.send({ method: 'DELETE' })
      const reply = await open
      expect(reply.status).toBe(200)
      expect(reply.headers['content-type']).toBe('text/event-stream')
      expect(reply.text).toMatch(/^: /)
    })

    test('ends when the service stops', async () => {
      const other = await openEdge()
      const own = await other.wire()
      const open = own.send({ method: 'GET' })
      await pause(300)
      await other.close()
      // On a slow machine it may only just be on its way.
      expect([200, 503]).toContain((await open).status)
    })

    test('beyond four of one connection ends the oldest', async () => {
      const own = await edge.wire()
      const oldest = own.send({ method: 'GET' })
      await pause(50)
      const others = Array.from({ length: 4 }, () => own.send({ method: 'GET' }))
      expect((await oldest).status).toBe(200)
      await own.send({ method: 'DELETE' })
      expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
    })

    test('without a connection, with an unknown one, or without streams in Accept is refused', async () => {
      const get = (more: Record<string, string | undefined>): Promise<Reply> =>
        wire.send({ method: 'GET', headers: more })
      refused(await get({ 'mcp-session-id': undefined }), 400, -32000)
      refused(await get({ 'mcp-session-id': 'x' }), 404, -32001)
      refused(await get({ accept: 'application/json' }), 406, -32000)
    })
  })

  describe('a DELETE', () => {
    test('forgets the connection, whatever else it carries', async () => {
      const own = await edge.wire()
      const odd = { 'content-type': 'text/html', accept: undefined }
      const reply = await own.send({ method: 'DELETE', headers: odd, body: 'x'.repeat(10_000) })

      expect([reply.status, reply.body]).toEqual([200, { jsonrpc: '2.0', id: null, result: {} }])
      refused(await own.ask('ping'), 404, -32001, 1)
      refused(await own.send({ method: 'DELETE' }), 404, -32001)
    })

    test('needs to say which', async () => {
      const without = { 'mcp-session-id': undefined }
      refused(await wire.send({ method: 'DELETE', headers: without }), 400, -32000)
    })
  })

  test('accepts capitals, parameters and wildcards in headers', async () => {
    const odd = {
      authorization: `bEaReR ${edge.key}`,
      'content-type': 'Application/JSON; charset=utf-8',
      accept: '*/*;q=0.5',
      host: 'LOCALHOST:99',
      origin: 'http://localhost:5173',
    }
    expect((await wire.send({ body: PING, headers: odd })).status).toBe(200)
  })

  test('keeps answers of equal ids apart', async () => {
    const wires = await Promise.all(Array.from({ length: 20 }, () => edge.wire()))
    const answers = await Promise.all(
      wires.map((each, index) =>
        each.ask('tools/call', {
          name: 'wait',
          arguments: { milliseconds: (index * 7) % 50, word: `word ${index}` },
        }),
      ),
    )
    const words = answers.map(({ body }) => body.result.structuredContent.word as string)
    expect(words).toEqual(wires.map((_, index) => `word ${index}`))
  })

  test('gives no hint of OAuth', async () => {
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/api/mcp',
      '/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration',
    ]) {
      const reply = await send(edge.url, { path })
      expect(reply).toMatchObject({ status: 404, text: '' })
      expect(reply.headers['www-authenticate']).toBeUndefined()
    }
  })

  test('answers 401 before it reads the body', async () => {
    const { authorization: _, ...open } = headersWith(edge.key)
    const reply = await send(edge.url, {
      method: 'POST',
      path: '/api/mcp',
      headers: open,
      body: 'x'.repeat(3 * MIB),
    })
    refused(reply, 401, -32000)
  })
})

const pause = (milliseconds: number): Promise<string> =>
  new Promise((resolve) => setTimeout(() => resolve('still open'), milliseconds))
