import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callContext, readConnection, readStateless } from '../../src/mcp/call-context.ts'
import { bindConnection, forgetIdleConnections } from '../../src/mcp/connections.ts'
import { NOTHING_SHOWN } from '../../src/mcp/shown.ts'
import { judge, scopeAt } from '../../src/projects/projects.ts'
import { openEdge, type Edge } from '../helpers/edge.ts'

describe('a connection', () => {
  let edge: Edge
  beforeAll(async () => {
    edge = await openEdge()
    await sql`insert into projects (id, slug, name, isolation) values ('P1', 'crypt', 'Crypt', 'sealed')`.execute(
      edge.kernel.db,
    )
    await addSession('S1', 'alice-1', 'crypt')
    await addSession('S2', 'bob-1', 'atlas')
  })
  afterAll(() => edge.close())

  const addSession = (id: string, name: string, project: string, status = 'active') =>
    sql`insert into sessions (id, name, project, status, model)
        values (${id}, ${name}, ${project}, ${status}, 'm1')`.execute(edge.kernel.db)
  const setStatus = (id: string, status: string) =>
    sql`update sessions set status = ${status} where id = ${id}`.execute(edge.kernel.db)
  const statusOf = async (id: string): Promise<string> => {
    const { rows } = await sql<{ status: string }>`
      select status from sessions where id = ${id}`.execute(edge.kernel.db)
    return rows[0]!.status
  }

  test('keeps the name and version that its client gave', async () => {
    await using agent = await edge.connect('carol\u0000 the \ud800agent')
    const row = await edge.kernel.db
      .selectFrom('mcp_sessions')
      .selectAll()
      .where('id', '=', agent.id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      client: 'carol  the \ufffdagent',
      client_version: '1.0.0',
      protocol_version: '2025-11-25',
      session_id: null,
      lab: '',
    })
  })

  test('continues in another process on the same database, bound as before', async () => {
    const wire = await edge.wire()
    await bindConnection(edge.kernel.db, wire.id, 'S1')
    await using other = await openEdge({ database: edge.database })

    const { send } = await other.wire()
    const { body } = await send({
      headers: { 'mcp-session-id': wire.id },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'probe' } },
    })
    expect(body.result.structuredContent).toMatchObject({ session: 'S1', project: 'crypt' })
  })

  test('knows the level of its project, the open lab and the features', async () => {
    const wire = await edge.wire()
    await bindConnection(edge.kernel.db, wire.id, 'S1')
    await sql`update mcp_sessions set lab = 'tide' where id = ${wire.id}`.execute(edge.kernel.db)

    const seen = { ahead: NOTHING_SHOWN, shown: NOTHING_SHOWN }
    const read = await readConnection(edge.kernel, wire.id, NOTHING_SHOWN, undefined)
    expect(await callContext(edge.kernel, wire.id, read!, seen)).toMatchObject({
      connection: { id: wire.id, protocol: '2025-11-25' },
      session: {
        id: 'S1',
        name: 'alice-1',
        status: 'active',
        project: 'crypt',
        isolation: 'sealed',
        model: 'm1',
      },
      isBound: true,
      verdict: {
        project: 'crypt',
        registered: true,
        readable: true,
        writable: true,
        addable: true,
      },
      lab: 'tide',
      features: { research: false, momentum: false, gamification: false },
    })
  })

  test('says what its session may do with the project of a call, as the fence judges it', async () => {
    const { kernel } = edge
    const places = [...(['open', 'confidential', 'sealed'] as const).entries()]
    for (const [nth, isolation] of places) {
      await sql`insert into projects (id, slug, name, isolation)
        values (${`V${nth}`}, ${isolation}, 'v', ${isolation})`.execute(kernel.db)
    }
    await sql`insert into projects (id, slug, name, isolation, parent_slug)
      values ('VC', 'child', 'c', 'open', 'open')`.execute(kernel.db)
    const targets = ['open', 'confidential', 'sealed', 'child', '', 'nowhere']
    for (const [nth, isolation] of places) {
      const wire = await edge.wire()
      await addSession(`SV${nth}`, `v-${nth}`, isolation)
      await bindConnection(kernel.db, wire.id, `SV${nth}`)
      const { caller } = await scopeAt(kernel.db, isolation)
      for (const project of targets) {
        const read = await readConnection(kernel, wire.id, NOTHING_SHOWN, project)
        expect(read!.verdict).toEqual(await judge(kernel.db, caller, project))
      }
    }
    const unbound = await edge.wire()
    expect(await readConnection(kernel, unbound.id, NOTHING_SHOWN, 'open')).toMatchObject({
      bound: null,
      verdict: null,
    })

    // A session that a client's hook announced, with a connection and without.
    const process = '0123456789abcdef0123456789abcdef'
    await sql`update sessions set process = ${process}, announced_at = loam_now() where id = 'SV1'`.execute(
      kernel.db,
    )
    const shown = { ...NOTHING_SHOWN, process }
    const { caller } = await scopeAt(kernel.db, 'confidential')
    for (const project of [...targets, undefined]) {
      const verdict = await judge(kernel.db, caller, project ?? 'confidential')
      const announced = { announced: { id: 'SV1', isolation: 'confidential' }, verdict }
      expect(await readConnection(kernel, unbound.id, shown, project)).toMatchObject(announced)
      const said = { protocol: '2026-07-28', client: 'c' }
      expect(await readStateless(kernel, said, shown, project)).toMatchObject(announced)
    }
  })

  test('revives its expired session: a call is proof of life', async () => {
    const agent = await edge.connect()
    await bindConnection(edge.kernel.db, agent.id, 'S2')
    await setStatus('S2', 'expired')

    expect(await agent.call('probe')).toMatchObject({ session: 'S2', project: 'atlas' })
    expect(await statusOf('S2')).toBe('active')
  })

  test('is unbound by the end of its session, and lives on', async () => {
    await addSession('S3', 'done-1', 'atlas')
    const agent = await edge.connect()
    await bindConnection(edge.kernel.db, agent.id, 'S3')
    await setStatus('S3', 'completed')

    expect(await agent.call('probe')).toMatchObject({ session: '', project: '' })
    expect(await statusOf('S3')).toBe('completed')
  })

  test('is marked as seen by a call, and so is its session', async () => {
    const agent = await edge.connect()
    await bindConnection(edge.kernel.db, agent.id, 'S2')
    await sql`update sessions set updated_at = loam_now() - interval '1 hour' where id = 'S2'`.execute(
      edge.kernel.db,
    )
    await sql`update mcp_sessions set last_seen = loam_now() - interval '1 hour' where id = ${agent.id}`.execute(
      edge.kernel.db,
    )

    await agent.call('probe')
    await edge.telemetry.flush()
    const { rows } = await sql<{ silent: boolean }>`
      select loam_now() - updated_at > interval '1 minute' as silent from sessions where id = 'S2'
      union all
      select loam_now() - last_seen > interval '1 minute' from mcp_sessions where id = ${agent.id}`.execute(
      edge.kernel.db,
    )
    expect(rows).toEqual([{ silent: false }, { silent: false }])
  })

  test('is forgotten after thirty days of silence, and then it is unknown', async () => {
    const [old, young] = [await edge.wire(), await edge.wire()]
    await edge.telemetry.flush()
    await sql`update mcp_sessions set last_seen = loam_now() - interval '30 days 1 minute' where id = ${old.id}`.execute(
      edge.kernel.db,
    )
    expect(await forgetIdleConnections(edge.kernel)).toBe(1)
    expect((await old.ask('ping')).status).toBe(404)
    expect((await young.ask('ping')).status).toBe(200)
  })

  describe('a call that names its session', () => {
    test.each(['S2', 'bob-1', ' bob-1 '])('speaks for it, by id or name: %j', async (session) => {
      const agent = await edge.connect()
      expect(await agent.call('probe', { session })).toMatchObject({
        session: 'S2',
        project: 'atlas',
      })
      expect(await agent.call('probe', { session_id: session })).toMatchObject({ session: 'S2' })
    })

    test('is refused when there is none of that name', async () => {
      const agent = await edge.connect()
      await expect(agent.call('probe', { session: 'nobody' })).rejects.toThrow(
        'probe: session "nobody" not found; see session_start',
      )
    })

    test.each([
      ['completed', 'S4'],
      ['expired', 'S5'],
    ])('revives it when it is %s', async (status, id) => {
      const agent = await edge.connect()
      await addSession(id, `gone-${id}`, 'atlas', status)
      expect(await agent.call('probe', { session: `gone-${id}` })).toMatchObject({ session: id })
      const { status: now } = await edge.kernel.db
        .selectFrom('sessions')
        .select('status')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      expect(now).toBe('active')
    })

    test('cannot leave the session that the connection is bound to', async () => {
      const agent = await edge.connect()
      await bindConnection(edge.kernel.db, agent.id, 'S1')
      expect(await agent.call('probe', { session: 'alice-1' })).toMatchObject({ session: 'S1' })
      await expect(agent.call('probe', { session: 'bob-1' })).rejects.toThrow(
        'bound to another session',
      )
    })
  })
})
