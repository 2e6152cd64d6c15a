import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instructions } from '../../src/mcp/instructions.ts'
import type { Tables } from '../../src/postgres/tables.ts'
import { callHook, fixture } from '../helpers/call-hook.ts'
import { openEdge, type Edge } from '../helpers/edge.ts'
import { openHouse } from '../helpers/house.ts'
import {
  headersWith,
  INITIALIZE,
  openStateless,
  send,
  STATELESS_META,
  type Reply,
  type StatelessSending,
  type StatelessWire,
} from '../helpers/wire.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const CLIENT = 'io.modelcontextprotocol/clientInfo'
const SERVER = { 'io.modelcontextprotocol/serverInfo': { name: 'loam', version: '0.0.0-test' } }

describe('without sessions', () => {
  let edge: Edge
  let wire: StatelessWire
  beforeAll(async () => {
    edge = await openEdge()
    wire = openStateless(edge)
  })
  afterAll(() => edge.close())

  test('a client discovers the versions, what the server can do and how it is to be used', async () => {
    const { status, body, headers } = await wire.ask('server/discover')
    expect([status, headers['mcp-session-id']]).toEqual([200, undefined])
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: false } },
        instructions,
        ttlMs: 60_000,
        cacheScope: 'private',
        resultType: 'complete',
        _meta: SERVER,
      },
    })
  })

  test('the tools are those of the other generation, and may be cached for a minute', async () => {
    const session = await edge.wire()
    const [other, own] = await Promise.all([session.ask('tools/list'), wire.ask('tools/list')])
    const { tools, ...rest } = own.body.result
    expect(tools).toEqual(other.body.result.tools)
    expect(rest).toEqual({
      ttlMs: 60_000,
      cacheScope: 'private',
      resultType: 'complete',
      _meta: SERVER,
    })
  })

  test('the list has the same bytes for everyone', async () => {
    const [one, two] = await Promise.all([wire.ask('tools/list'), wire.ask('tools/list')])
    expect(one.text).toBe(two.text)
  })

  test('a tool answers as in the other generation', async () => {
    const answer = await wire.ask('tools/call', {
      name: 'wait',
      arguments: { milliseconds: 0, word: 'ü' },
    })
    expect(answer.body.result).toEqual({
      content: [{ type: 'text', text: '{"word":"ü"}' }],
      structuredContent: { word: 'ü' },
      resultType: 'complete',
      _meta: SERVER,
    })
    const refused = await wire.ask('tools/call', { name: 'fail', arguments: { how: 'refusal' } })
    expect(refused.body.result).toEqual({
      content: [{ type: 'text', text: 'fail: the moon is in the wrong place' }],
      isError: true,
      resultType: 'complete',
      _meta: SERVER,
    })
  })

  test('a client need not say who it is', async () => {
    const { [CLIENT]: _, ...meta } = STATELESS_META
    expect((await wire.ask('server/discover', {}, { meta })).status).toBe(200)
  })

  test('a connection id in the headers is ignored', async () => {
    const { id } = await edge.wire()
    await edge.kernel.db
      .insertInto('sessions')
      .values({ id: 'S-bound', name: 'bound-1', project: 'atlas' })
      .execute()
    await edge.kernel.db
      .updateTable('mcp_sessions')
      .set({ session_id: 'S-bound' })
      .where('id', '=', id)
      .execute()
    const answer = await wire.ask(
      'tools/call',
      { name: 'probe', arguments: {} },
      {
        headers: { 'mcp-session-id': id },
      },
    )
    expect(answer.body.result.structuredContent).toMatchObject({ session: '', project: '' })
  })

  test('no row is kept for a client', async () => {
    const count = () => edge.kernel.db.selectFrom('mcp_sessions').select('id').execute()
    const before = await count()
    await wire.ask('server/discover')
    await wire.call('probe')
    expect(await count()).toEqual(before)
  })

  test('a hidden tool is not known, and shows from the moment its feature is stored', async () => {
    const call = (name: string): Promise<Reply> => wire.ask('tools/call', { name, arguments: {} })
    const [hidden, invented] = [await call('experiment'), await call('exporiment')]
    expect([hidden.status, hidden.body.error]).toEqual([
      200,
      { code: -32602, message: 'tool "experiment" not found' },
    ])
    expect(invented.text).toBe(hidden.text.replace('experiment', 'exporiment'))

    const store = (on: boolean) =>
      sql`insert into settings (key, value)
        values ('features_config', ${JSON.stringify({ research: on })}::jsonb)
        on conflict (key) do update set value = excluded.value`.execute(edge.kernel.db)
    await store(true)
    expect(await wire.call('experiment')).toEqual({ done: true })
    await store(false)
  })

  test('a subscription is acknowledged empty and ends at once, since no list ever changes', async () => {
    const notifications = { toolsListChanged: true }
    const reply = await wire.ask('subscriptions/listen', { notifications }, { id: 'sub-1' })
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'text/event-stream'])
    const frames = reply.text.matchAll(/^event: message\ndata: (.*)\n\n/gm)
    const mine = { 'io.modelcontextprotocol/subscriptionId': 'sub-1' }
    expect([...frames].map(([, data = '']) => JSON.parse(data))).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: {}, _meta: mine },
      },
      {
        jsonrpc: '2.0',
        id: 'sub-1',
        result: { resultType: 'complete', _meta: { ...mine, ...SERVER } },
      },
    ])
    expect((await wire.ask('subscriptions/listen')).body.error.code).toBe(-32602)
  })

  test('a notification is acknowledged without a body', async () => {
    const reply = await send(edge.url, {
      method: 'POST',
      path: '/api/mcp',
      headers: { ...headersWith(edge.key), 'mcp-protocol-version': '2026-07-28' },
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    })
    expect([reply.status, reply.text]).toEqual([202, ''])
  })

  test('both generations share the endpoint at the same time, and equal ids never meet', async () => {
    const wires = await Promise.all(Array.from({ length: 10 }, () => edge.wire()))
    const ask = (i: number) => ({
      name: 'wait',
      arguments: { milliseconds: (i * 7) % 40, word: `word ${i}` },
    })
    const answers = await Promise.all([
      ...wires.map((each, i) => each.ask('tools/call', ask(i))),
      ...wires.map((_, i) => wire.ask('tools/call', ask(i + 10))),
    ])
    expect(answers.map(({ body }) => body.result.structuredContent.word)).toEqual(
      answers.map((_, i) => `word ${i}`),
    )
  })

  describe('refuses', () => {
    const refused = (reply: Reply, status: number, code: number): void => {
      expect([reply.status, reply.body]).toEqual([
        status,
        {
          jsonrpc: '2.0',
          id: 1,
          error: expect.objectContaining({ code, message: expect.stringMatching(/\S/) }),
        },
      ])
    }
    const without = (key: keyof typeof STATELESS_META): StatelessSending => {
      const { [key]: _, ...meta } = STATELESS_META
      return { meta }
    }
    const withMeta = (more: object): StatelessSending => ({ meta: { ...STATELESS_META, ...more } })
    const headers = (more: Record<string, string | undefined>): StatelessSending => ({
      headers: more,
    })

    test.each<[string, StatelessSending, number, number]>([
      ['an empty _meta', { meta: {} }, 400, -32602],
      ['no version', without(VERSION), 400, -32602],
      ['no capabilities', without(CAPABILITIES), 400, -32602],
      ['capabilities that are a list', withMeta({ [CAPABILITIES]: [] }), 400, -32602],
      ['a version that is no text', withMeta({ [VERSION]: 5 }), 400, -32602],
      ['a client without a name', withMeta({ [CLIENT]: { version: '1' } }), 400, -32602],
      ['no header of the version', headers({ 'mcp-protocol-version': undefined }), 400, -32020],
      ['another version', headers({ 'mcp-protocol-version': '2025-11-25' }), 400, -32020],
      ['another version in the body', withMeta({ [VERSION]: 'v999' }), 400, -32020],
      ['no header of the method', headers({ 'mcp-method': undefined }), 400, -32020],
      ['another method', headers({ 'mcp-method': 'tools/call' }), 400, -32020],
      ['capitals in the method', headers({ 'mcp-method': 'TOOLS/LIST' }), 400, -32020],
    ])('%s', async (_, sending, status, code) => {
      refused(await wire.ask('tools/list', {}, sending), status, code)
    })

    test.each<[string, string | undefined]>([
      ['none', undefined],
      ['another', 'wait'],
      ['badly encoded', '=?base64?***?='],
      ['another, encoded', `=?base64?${Buffer.from('wait').toString('base64')}?=`],
    ])('a call whose header names a tool that is %s', async (_, name) => {
      const asked = { name: 'probe', arguments: {} }
      refused(await wire.ask('tools/call', asked, headers({ 'mcp-name': name })), 400, -32020)
    })

    test('a version it does not speak, and says which it does', async () => {
      const reply = await wire.ask(
        'server/discover',
        {},
        {
          headers: { 'mcp-protocol-version': '2031-01-01' },
          meta: { ...STATELESS_META, [VERSION]: '2031-01-01' },
        },
      )
      refused(reply, 400, -32022)
      expect(reply.body.error.data).toEqual({
        supported: ['2026-07-28'],
        requested: '2031-01-01',
      })
    })

    test.each(['initialize', 'ping', 'logging/setLevel', 'resources/list', 'x'])(
      'the method %s, which it does not have',
      async (method) => {
        refused(await wire.ask(method), 404, -32601)
      },
    )

    test('a call without a name', async () => {
      const reply = await wire.ask('tools/call', {}, headers({ 'mcp-name': undefined }))
      refused(reply, 200, -32602)
    })

    test.each(['GET', 'DELETE'])('%s, which belongs to connections', async (method) => {
      const reply = await send(edge.url, {
        method,
        path: '/api/mcp',
        headers: { ...headersWith(edge.key), 'mcp-protocol-version': '2026-07-28' },
      })
      expect([reply.status, reply.headers['allow'], reply.body.error.code]).toEqual([
        405,
        'POST',
        -32000,
      ])
    })

    test('a wrong key before all else', async () => {
      const reply = await wire.ask('server/discover', {}, headers({ authorization: 'Bearer no' }))
      expect([reply.status, reply.body.error.code]).toEqual([401, -32000])
    })
  })

  test('headers may be padded, in any case, or encoded', async () => {
    const asked = { name: 'probe', arguments: {} }
    const encoded = `=?base64?${Buffer.from('probe').toString('base64')}?=`
    for (const more of [{ 'mcp-name': '  probe  ' }, { 'mcp-name': encoded }]) {
      expect((await wire.ask('tools/call', asked, { headers: more })).status).toBe(200)
    }
    const shouted = { 'mcp-method': undefined, 'MCP-METHOD': 'tools/list' }
    expect((await wire.ask('tools/list', {}, { headers: shouted })).status).toBe(200)
  })

  test('a handshake is of the other generation, whatever version its _meta says', async () => {
    const params = { ...INITIALIZE.params, _meta: { [VERSION]: '2025-11-25' } }
    const reply = await send(edge.url, {
      method: 'POST',
      path: '/api/mcp',
      headers: headersWith(edge.key),
      body: { ...INITIALIZE, params },
    })
    expect(reply.body.result.protocolVersion).toBe('2025-11-25')
    expect(reply.headers['mcp-session-id']).toMatch(/^mcp-session-/)
  })

  test('while the database is away a tool says so, and the list is refused', async () => {
    await using broken = await openEdge()
    const lost = openStateless(broken)
    const nobody = new pg.Pool({ host: '127.0.0.1', port: 1 })
    broken.kernel.db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: nobody }) })

    await expect(lost.call('probe')).rejects.toThrow(/^probe: the database does not answer/)
    const listed = await lost.ask('tools/list')
    expect([listed.status, listed.body.error.code]).toEqual([503, -32603])
    expect((await lost.ask('server/discover')).status).toBe(200)
  })
})

describe('a story without sessions of the protocol', () => {
  test('continues through the session that every call names', async () => {
    await using house = await openHouse()
    const wire = openStateless(house)
    const { session_id: session, name } = await wire.call('session_start', { project: 'atlas' })
    const fact = {
      name: 'fixed-seed',
      kind: 'gotcha',
      description: 'the flake went away with a fixed seed',
      body: 'Set SEED=7.',
    }
    await wire.call('memory_write', { ...fact, session })

    const found = await wire.call('recall', { query: 'flake seed', session: name })
    expect(found.hits).toEqual([expect.objectContaining({ project: 'atlas' })])
    expect(await wire.call('session_end', { findings: 'done', session })).toMatchObject({
      session_id: session,
    })
    const [written] = await house.events('memory.written')
    expect(written).toMatchObject({ session_id: session, project: 'atlas' })
  })

  test('fails closed where a call names none', async () => {
    await using house = await openHouse()
    const wire = openStateless(house)
    await wire.call('session_start', { project: 'atlas' })
    await expect(wire.call('notes_create', { title: 'A', body: 'B' })).rejects.toThrow(
      'notes_create: ambiguous scope: no session to infer from',
    )
    await expect(wire.call('recall', { query: 'x', session: 'nobody' })).rejects.toThrow(
      'recall: session "nobody" not found; see session_start',
    )
  })

  test('keeps the fence of the session it names', async () => {
    await using house = await openHouse()
    await house.inside('crypt', 'sealed')
    const wire = openStateless(house)
    const { session_id: session } = await wire.call('session_start', { project: 'crypt' })
    await expect(
      wire.call('notes_create', { title: 'A', body: 'B', project: 'atlas', session }),
    ).rejects.toThrow(/^notes_create: .*crypt/)
    await expect(wire.call('recall', { query: 'x', project: 'crypt' })).rejects.toThrow(/crypt/)
  })

  test('writes nothing unasked out of the fence behind which session_start has led', async () => {
    await using house = await openHouse()
    await house.inside('ledger', 'confidential')
    const process = 'c'.repeat(32)
    const [cwd, repo_root] = ['/src/atlas', '/src/atlas']
    const start = fixture('claude-code/session-start', { cwd, repo_root, repo: '', process })
    await callHook(house, 'session-start', start)
    const wire = openStateless(house)
    const headers = {
      'loam-client': 'claude-code',
      'loam-process': process,
      'loam-directory': cwd,
    }
    const call = async (name: string, args: object) =>
      (await wire.ask('tools/call', { name, arguments: args }, { headers })).body.result
    const { structuredContent: begun } = await call('session_start', { project: 'ledger' })
    const note = { title: 'Account 4711', body: 'It is empty.' }
    expect(await call('notes_create', note)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('your client works behind a fence') }],
    })
    const { structuredContent: written } = await call('notes_create', {
      ...note,
      session: begun.name,
    })
    expect(written).toMatchObject({ project: 'ledger' })
  })
})
