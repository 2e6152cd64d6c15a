import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bindConnection } from '../../src/mcp/connections.ts'
import type { Agent } from '../helpers/agent.ts'
import { openEdge, type Edge } from '../helpers/edge.ts'

interface Row {
  session_id: string | null
  project: string | null
  transport: boolean
  payload: Record<string, unknown>
}

describe('the event of a call', () => {
  let edge: Edge
  let agent: Agent
  beforeAll(async () => {
    edge = await openEdge()
    agent = await edge.connect()
  })
  afterAll(() => edge.close())

  /** The events since the last look. */
  async function events(): Promise<Row[]> {
    await edge.telemetry.flush()
    const { rows } = await sql<Row>`
      select session_id, project, transport, payload from events
      where kind = 'tool.call' order by id`.execute(edge.kernel.db)
    await sql`delete from events`.execute(edge.kernel.db)
    return rows
  }

  test('holds what was sent, as it was sent, and what was answered', async () => {
    await agent.call('probe', { text: 'x', limit: '7' })
    const [event] = await events()
    expect(event).toEqual({
      session_id: null,
      project: null,
      transport: true,
      payload: {
        tool: 'probe',
        duration_ms: expect.any(Number),
        args: { text: 'x', limit: '7' },
        result: '{"understood":{"body":"x","limit":7},"session":"","project":""}',
      },
    })
  })

  test('is attributed to the session of the connection', async () => {
    await sql`insert into sessions (id, name, project) values ('S1', 'a', 'atlas')`.execute(
      edge.kernel.db,
    )
    await using bound = await edge.connect()
    await bindConnection(edge.kernel.db, bound.id, 'S1')
    await bound.call('probe')
    expect(await events()).toMatchObject([{ session_id: 'S1', project: 'atlas' }])
  })

  test('is recorded for refused arguments too, and not for a tool that is not there', async () => {
    await agent.raw('probe', { limit: 'x' })
    await agent.raw('experiment').catch(() => {})
    const [event, ...others] = await events()
    const text = 'probe: invalid limit: expected an integer, got string'
    expect(event?.payload).toMatchObject({ is_error: true, error: text, result: text })
    expect(others).toEqual([])
  })

  test('cuts long texts, visibly and not through a character', async () => {
    const body = '🦊'.repeat(5_000)
    await agent.call('probe', { body })
    const [event] = await events()
    const { args, result } = event!.payload as { args: { body: string }; result: string }
    expect(args.body).toBe(`${'🦊'.repeat(4_000)} [truncated]`)
    expect([...result]).toHaveLength(4_000 + ' [truncated]'.length)
  })

  test('masks what looks like a secret, in arguments and in the answer', async () => {
    const secret = 'ghp_' + 'a1B2'.repeat(10)
    await agent.call('probe', {
      body: `use ${secret} here`,
      extra: { password: 'correct-horse-7', deep: [{ note: `Bearer ${'x9'.repeat(12)}` }] },
    })
    const [event] = await events()
    const text = JSON.stringify(event?.payload)
    expect(text).not.toContain(secret)
    expect(text).not.toContain('correct-horse-7')
    expect(text).not.toContain('x9x9')
    expect(text).toContain('use [secret] here')
  })

  test('masks a secret that the cut would have halved', async () => {
    const secret = 'ghp_' + 'a1B2'.repeat(10)
    await agent.call('probe', { body: `${'x '.repeat(1_990)}${secret}` })
    const [event] = await events()
    expect(JSON.stringify(event?.payload)).not.toContain('ghp_')
  })

  test('does not keep what a refused write wanted to store', async () => {
    await agent.raw('fail', { how: 'refusal', body: 'the canary sings' })
    const [event] = await events()
    expect(event?.payload['args']).toEqual({
      how: 'refusal',
      body: '[not recorded: the write was refused]',
    })
  })

  test('survives text that no database can store', async () => {
    await agent.raw('probe', { body: 'a\0b', extra: { ['k\0']: '\ud800' } })
    const [event] = await events()
    expect(event?.payload['args']).toEqual({ body: 'a\ufffdb', extra: { 'k\ufffd': '\ufffd' } })
  })
})
