import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KeptAnswers } from '../../src/kernel/kept-answers.ts'
import type { Tables } from '../../src/postgres/tables.ts'
import type { Agent } from '../helpers/agent.ts'
import { openEdge, type Edge } from '../helpers/edge.ts'
import { testTools } from '../helpers/tools.ts'

describe('the tool methods', () => {
  let edge: Edge
  let agent: Agent
  beforeAll(async () => {
    edge = await openEdge()
    agent = await edge.connect()
  })
  afterAll(() => edge.close())

  const setFeatures = (stored: unknown): Promise<unknown> =>
    sql`insert into settings (key, value)
        values ('features_config', ${JSON.stringify(stored)}::jsonb)
        on conflict (key) do update set value = excluded.value`.execute(edge.kernel.db)

  test('list the tools by name, with all that a client needs to know of them', async () => {
    const tools = await agent.tools()
    expect(tools.map(({ name }) => name)).toEqual(['demand', 'fail', 'probe', 'wait'])
    for (const tool of tools) {
      expect(Object.keys(tool).sort()).toEqual([
        'annotations',
        'description',
        'inputSchema',
        'name',
        'outputSchema',
        'title',
      ])
      expect(Object.keys(tool.inputSchema)).toEqual(['type', 'properties', 'required'])
      expect(Object.keys(tool.annotations ?? {})).toEqual([
        'readOnlyHint',
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
      ])
    }
    expect(tools.find(({ name }) => name === 'probe')?.inputSchema.properties).not.toHaveProperty(
      'content',
    )
  })

  test('list the same bytes for everyone, in one page', async () => {
    const [one, two] = await Promise.all([edge.wire(), edge.wire()])
    const first = await one.ask('tools/list', {}, 1)
    const second = await two.ask('tools/list', {}, 1)
    expect(second.text).toBe(first.text)
    expect(Object.keys(first.body.result)).toEqual(['tools'])
  })

  test.each(['x', '', 5])('refuse the cursor %j, since no page ever had one', async (cursor) => {
    const wire = await edge.wire()
    const { body } = await wire.ask('tools/list', { cursor }, 1)
    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: expect.stringContaining('ask without a cursor') },
    })
  })

  test('answer twice: as JSON text and as structured content', async () => {
    const { content, structuredContent, isError } = await agent.raw('wait', {
      milliseconds: 0,
      word: '<b>&',
    })
    expect(structuredContent).toEqual({ word: '<b>&' })
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
    expect(isError).toBeUndefined()
  })

  test('give the same answer for a hidden tool and for one that never existed', async () => {
    const wire = await edge.wire()
    const call = async (name: string): Promise<string> =>
      (await wire.ask('tools/call', { name, arguments: {} })).text
    const hidden = await call('experiment')
    const invented = await call('exporiment')

    expect(JSON.parse(hidden)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'tool "experiment" not found' },
    })
    expect(invented).toBe(hidden.replace('experiment', 'exporiment'))
  })

  test.each(['__proto__', 'constructor', 'toString', '', 'PROBE', 'x'.repeat(10_000)])(
    'have no tool called %j',
    async (name) => {
      const wire = await edge.wire()
      const { status, body } = await wire.ask('tools/call', { name })
      expect([status, body.error.code]).toEqual([200, -32602])
      expect(body.error.message.length).toBeLessThan(200)
    },
  )

  test('show a feature from the moment it is stored, and hide it again', async () => {
    await setFeatures({ research: true, nonsense: 1 })
    expect((await agent.tools()).map(({ name }) => name)).toContain('experiment')
    expect(await agent.call('experiment')).toEqual({ done: true })

    await setFeatures('not an object')
    expect((await agent.tools()).map(({ name }) => name)).not.toContain('experiment')
  })

  test('follow the configuration where nothing is stored', async () => {
    await using research = await openEdge({ env: { LOAM_FEATURES_RESEARCH: 'true' } })
    const other = await research.connect()
    expect((await other.tools()).map(({ name }) => name)).toHaveLength(testTools.length)
  })

  describe('when a tool fails', () => {
    test.each([
      ['refusal', 'fail: the moon is in the wrong place'],
      ['bug', 'fail: internal error'],
      ['ENOSPC', 'fail: storage full'],
      ['EROFS', 'fail: storage is read-only'],
      ['53100', 'fail: storage full'],
      ['57P01', 'fail: the database does not answer; try again'],
      ['ECONNREFUSED', 'fail: the database does not answer; try again'],
      ['XX000', 'fail: internal error'],
    ])('by %s it says: %s', async (how, text) => {
      expect(await agent.raw('fail', { how })).toEqual({
        content: [{ type: 'text', text }],
        isError: true,
      })
    })

    test('by a bug the log has the cause, and the answer nothing of it', async () => {
      await agent.raw('fail', { how: 'bug' })
      expect(edge.logged()).toContain('secret detail')
    })
  })

  test('answer with a tool error while the database is away', async () => {
    await using broken = await openEdge()
    const lost = await broken.connect()
    const wire = await broken.wire()
    const nobody = new pg.Pool({ host: '127.0.0.1', port: 1 })
    broken.kernel.db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: nobody }) })
    // Neither is anything known of the time before.
    broken.kernel.kept = new KeptAnswers(() => null)

    expect((await lost.raw('probe', {})).content).toEqual([
      { type: 'text', text: expect.stringMatching(/^probe: the database does not answer/) },
    ])
    const listed = await wire.ask('tools/list')
    expect([listed.status, listed.body.error.code]).toEqual([503, -32603])
    expect(listed.text).not.toMatch(/pool|select|stack/i)
  })
})
